"""Weight normalization: an addition of this package, which Chainer does not have."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import backend
from chainer_fast.functions.array import reshape
from chainer_fast.functions.normalization import l2_normalization
from chainer_fast.initializers import constant
from chainer_fast.link import Link
from chainer_fast.link_hooks import _weight
from chainer_fast.variable import Variable


class WeightNormalization(_weight.WeightHook):
    """Link hook that separates the length of each weight vector from its direction.

    Chainer does not have it.

    .. math::

        \\bar W_i = g_i \\frac{W_i}{\\|W_i\\|_2 + \\epsilon}

    where :math:`W_i` are the weights of output :math:`i`. The link computes with
    :math:`\\bar W`; its parameters are :math:`W`, which gives the directions, and
    :math:`g`, the lengths. Initially :math:`g_i = \\|W_i\\|_2`, so the hook does not
    change results. Gradients flow to both parameters.

    The link gets :math:`g` as a parameter ``W_g``. If its weight is not initialized
    yet, the link gets it at the first call, or when it is loaded from a file that has
    it. An optimizer that updates the weight updates ``W_g`` as well, even if it was
    set up before. To return to an ordinary weight after the training, assign
    ``link.W.array[...] = hook.normalize_weight(link).array`` and delete the hook.

    Parameters
    ----------
    eps : float
        Constant added to the norms. Keyword argument, like the others.
    weight_name : str
        Attribute of the link that is the weight.
    name : str or None
        Name of the hook; that of the class if None.

    Attributes
    ----------
    eps, weight_name
        As given.
    scale_name : str
        Attribute of the link that is :math:`g`, of shape ``(outputs,)``.
    axis : int
        Axis of the outputs of the weight: 1 for deconvolutions, 0 for other links.
    original_weight : chainer_fast.Parameter
        The weight, after a call.

    Raises
    ------
    ValueError
        When it is added to a link without this weight.
    NotImplementedError
        When it is used in a ``with`` statement.

    See Also
    --------
    chainer_fast.link_hooks.SpectralNormalization
    chainer_fast.link_hooks.WeightStandardization

    References
    ----------
    T. Salimans and D. P. Kingma. `Weight normalization: a simple reparameterization to
    accelerate training of deep neural networks <https://arxiv.org/abs/1602.07868>`__.
    NIPS 2016.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[3, 4]]))
    >>> layer = layer.add_hook(chainer.link_hooks.WeightNormalization())
    >>> layer.W_g.array
    array([5.], dtype=float32)
    >>> layer.W_g.array[:] = 10
    >>> layer(np.eye(2, dtype=np.float32)).array
    array([[6.],
           [8.]], dtype=float32)
    """

    name = 'WeightNormalization'

    def __init__(
            self, *, eps: float = 1e-6, weight_name: str = 'W',
            name: str | None = None) -> None:
        super().__init__(weight_name, name)
        self.eps = eps
        self.scale_name: str = weight_name + '_g'
        self.axis: int = 0

    def added(self, link: Link | None) -> None:
        """Prepare the hook if the weight is initialized; see the base class."""
        self.axis = _weight.axis_of_outputs(link)
        super().added(link)

    def deleted(self, link: Any) -> None:
        """Delete the lengths of the link; see the base class."""
        if hasattr(link, self.scale_name):
            delattr(link, self.scale_name)
        link._late = link._late.difference([self.scale_name])

    def _is_prepared(self, link):
        scale = getattr(link, self.scale_name, None)
        return scale is not None and scale.array is not None

    def _expect(self, link):
        if not self._is_prepared(link):
            self._register(link)

    def _register(self, link):
        """Add the parameter, without a value at first."""
        if self.scale_name not in link._late:
            self._add_parameter(link, self.scale_name)
            link._late |= {self.scale_name}

    def _prepare(self, link):
        if self._is_prepared(link):
            return
        self._register(link)
        scale = getattr(link, self.scale_name)
        weight = getattr(link, self.weight_name).array
        with backend.using_device(link.device):
            # The squares of halves overflow.
            wide = backend.from_chx(weight).astype(
                numpy.promote_types(weight.dtype, numpy.float32), copy=False)
            norms = (wide * wide).sum(axis=self._other_axes(wide)) ** .5
        scale.initializer = constant.Constant(norms, weight.dtype)
        scale.cleargrad()
        scale.initialize(norms.shape)

    def _initialize_values(self, link):
        if not self._is_prepared(link):
            return
        delattr(link, self.scale_name)
        link._late = link._late.difference([self.scale_name])
        if getattr(link, self.weight_name).array is not None:
            self._prepare(link)

    def _other_axes(self, weight):
        return tuple([i for i in range(weight.ndim) if i != self.axis])

    def normalize_weight(self, link: Link) -> Variable:
        """Return the weight that the link computes with.

        Parameters
        ----------
        link : chainer_fast.Link
            The link.

        Returns
        -------
        chainer_fast.Variable
            Array of the shape and dtype of the weight.
        """
        weight = getattr(link, self.weight_name)
        shape = [1] * weight.ndim
        shape[self.axis] = -1
        scale = reshape.reshape(getattr(link, self.scale_name), shape)
        return scale * l2_normalization.normalize(
            weight, self.eps, self._other_axes(weight))

    def _compute(self, link):
        return self.normalize_weight(link)
