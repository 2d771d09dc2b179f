"""Spectral normalization of weights."""
from __future__ import annotations

from typing import Any, TypeVar

import numpy

from chainer_fast import backend, initializers, variable
from chainer_fast.backends.kernels import linalg
from chainer_fast.configuration import config
from chainer_fast.functions.array import reshape, transpose
from chainer_fast.functions.math import matmul
from chainer_fast.initializers import constant, normal
from chainer_fast.link import Link
from chainer_fast.link_hooks import _weight
from chainer_fast.types import NdArray, Xp
from chainer_fast.variable import Variable, VariableOrArray

_Weight = TypeVar('_Weight', Variable, NdArray)


def l2normalize(xp: Xp, v: NdArray, eps: float) -> NdArray:
    """Divide an array by its Euclidean norm.

    Parameters
    ----------
    xp : module
        Array module.
    v : array
        The array.
    eps : float
        Constant added to the norm.

    Returns
    -------
    array
        Array of the same shape and dtype.
    """
    # The squares of float16 numbers overflow.
    wide = v.astype(numpy.promote_types(v.dtype, numpy.float32), copy=False)
    return (wide / (xp.linalg.norm(wide) + eps)).astype(v.dtype, copy=False)


def update_approximate_vectors(
        weight_matrix: Variable, u: NdArray, n_power_iteration: int,
        eps: float) -> tuple[NdArray, NdArray | None]:
    """Approximate the first singular vectors of a matrix by power iteration.

    Parameters
    ----------
    weight_matrix : chainer_fast.Variable
        The matrix.
    u : array
        The current left vector.
    n_power_iteration : int
        Number of iterations.
    eps : float
        Constant added to the norms.

    Returns
    -------
    u, v : array
        The left and the right vector.
    """
    device = backend.get_device_from_array(u)
    matrix, u = backend.from_chx([weight_matrix.array, u])
    xp = backend.get_array_module(matrix)
    v = None
    for _ in range(n_power_iteration):
        v = l2normalize(xp, u @ matrix, eps)
        u = l2normalize(xp, matrix @ v, eps)
    return device.send((u, v))


def calculate_max_singular_value(
        weight_matrix: VariableOrArray, u: NdArray, v: NdArray) -> Variable:
    """Return the singular value of a pair of vectors.

    Parameters
    ----------
    weight_matrix : chainer_fast.Variable or array
        The matrix.
    u, v : array
        Left and right vector; the gradient treats them as constants.

    Returns
    -------
    chainer_fast.Variable
        The number ``u^T W v``.
    """
    return matmul.matmul(matmul.matmul(u, weight_matrix), v)


class SpectralNormalization(_weight.WeightHook):
    """Link hook that divides a weight by its largest singular value.

    .. math::

        \\bar W = \\frac{W}{\\sigma}, \\quad \\sigma = u^T W v

    The weight is treated as a matrix with one row for each output. Its first singular
    vectors :math:`u` and :math:`v` are approximated by power iteration, which continues
    from the last call in training,

    .. math::

        v \\leftarrow \\frac{W^T u}{\\|W^T u\\| + \\epsilon}, \\quad
        u \\leftarrow \\frac{W v}{\\|W v\\| + \\epsilon}

    and the gradient treats them as constants. The link computes with :math:`\\bar W`;
    its parameter remains :math:`W`.

    The hook adds :math:`u` to the link as a persistent value ``W_u`` and, with
    ``use_gamma``, a parameter ``gamma``. If the weight is not initialized yet, they are
    added at the first call, or when the link is loaded from a file that contains them.
    An optimizer that updates the weight also updates ``gamma``, even if it was set up
    before.

    Parameters
    ----------
    n_power_iteration : int
        Number of iterations in each call.
    eps : float
        Constant added to the norms.
    use_gamma : bool
        Whether to multiply by a parameter, which is initially the largest singular
        value.
    factor : float or None
        Divisor of the singular value, if not None.
    weight_name : str
        Name of the attribute of the link that is the weight.
    name : str or None
        Name of the hook; that of the class if None.

    Attributes
    ----------
    n_power_iteration, eps, use_gamma, factor, weight_name
        As given.
    vector_name : str
        Name of the attribute of the link that is :math:`u`.
    axis : int
        Axis of the outputs of the weight: 1 for deconvolutions, 0 for other links.
    v : array
        The vector, after a call.
    original_weight : chainer_fast.Parameter
        The weight, after a call.

    Raises
    ------
    ValueError
        When the hook is added to a link without this weight, or to one whose weight has
        no outputs.
    NotImplementedError
        When the hook is used in a ``with`` statement.

    References
    ----------
    T. Miyato et al. `Spectral normalization for generative adversarial networks
    <https://arxiv.org/abs/1802.05957>`__. ICLR 2018.

    Examples
    --------
    >>> layer = L.Linear(3, 2, nobias=True, initialW=5)
    >>> layer = layer.add_hook(chainer.link_hooks.SpectralNormalization())
    >>> for _ in range(10):
    ...     y = layer(np.eye(3, dtype=np.float32))
    >>> round(float(np.linalg.norm(y.array, 2)), 3), float(layer.W.array[0, 0])
    (1.0, 5.0)
    """

    n_power_iteration: int
    eps: float
    use_gamma: bool
    factor: float | None

    name = 'SpectralNormalization'

    def __init__(
            self, n_power_iteration: int = 1, eps: float = 1e-6,
            use_gamma: bool = False, factor: float | None = None,
            weight_name: str = 'W', name: str | None = None) -> None:
        assert n_power_iteration > 0, 'n_power_iteration must be positive'
        super().__init__(weight_name, name)
        self.vector_name: str = weight_name + '_u'
        self.n_power_iteration, self.eps = n_power_iteration, eps
        self.use_gamma, self.factor = use_gamma, factor
        self.axis: int = 0

    def added(self, link: Link | None) -> None:
        """Prepare the hook if the weight is initialized; see the base class."""
        self.axis = _weight.axis_of_outputs(link)
        super().added(link)

    def deleted(self, link: Any) -> None:
        """Delete what the hook added to the link; see the base class."""
        for name in self._added_names():
            if hasattr(link, name):
                delattr(link, name)
        link._late = link._late.difference(self._added_names())

    def _added_names(self):
        return (self.vector_name, 'gamma') if self.use_gamma else (self.vector_name,)

    def _is_prepared(self, link):
        return getattr(link, self.vector_name, None) is not None and (
            not self.use_gamma
            or isinstance(gamma := getattr(link, 'gamma', None), variable.Parameter)
            and gamma.is_initialized)

    def _expect(self, link):
        if not self._is_prepared(link):
            self._register(link)

    def _register(self, link):
        """Add the parameter and the persistent value, initially without values."""
        new = set(self._added_names()).difference(link._late)
        if self.vector_name in new:
            setattr(link, self.vector_name, None)
            link.register_persistent(self.vector_name)
        if 'gamma' in new:
            self._add_parameter(link, 'gamma')
        link._late |= new

    def _prepare(self, link):
        weight = getattr(link, self.weight_name).array
        size, xp, device = weight.shape[self.axis], link.xp, link.device
        if size == 0:
            raise ValueError(
                'the weight %r has no outputs: its shape is %s' % (
                    self.weight_name, weight.shape))
        self._register(link)
        if getattr(link, self.vector_name) is None:
            setattr(link, self.vector_name, initializers.generate_array(
                normal.Normal(1., dtype=weight.dtype), size, xp, device=device))
        if not self.use_gamma or link.gamma.is_initialized:
            return
        with backend.using_device(device):
            # Singular value decomposition does not support float16.
            matrix = self.reshape_W(backend.from_chx(weight)).astype(
                numpy.promote_types(weight.dtype, numpy.float32), copy=False)
            xp = backend.get_array_module(matrix)
            largest = linalg.call(xp.linalg.svd, matrix, True, False)[0]
        link.gamma.initializer = constant.Constant(float(largest), weight.dtype)
        link.gamma.cleargrad()
        link.gamma.initialize(())

    def _initialize_values(self, link):
        if not self._is_prepared(link):
            return
        for name in self._added_names():
            delattr(link, name)
        link._late = link._late.difference(self._added_names())
        if getattr(link, self.weight_name).array is not None:
            self._prepare(link)

    def reshape_W(self, W: _Weight) -> _Weight:
        """Return a weight as a matrix with one row for each output.

        Parameters
        ----------
        W : chainer_fast.Variable or array
            The weight.

        Returns
        -------
        chainer_fast.Variable or array
            The matrix, of the type of ``W``.
        """
        if W.ndim == 2 and self.axis == 0:
            return W
        order = (self.axis, *[i for i in range(W.ndim) if i != self.axis])
        shape = W.shape[self.axis], -1 if W.size else 0
        if isinstance(W, variable.Variable):
            if self.axis != 0:
                W = transpose.transpose(W, order)
            return reshape.reshape(W, shape)
        return W.transpose(order).reshape(shape)

    def _iterate(self, link, matrix):
        """Return both vectors after further iterations; in training, store them."""
        u = getattr(link, self.vector_name)
        v = getattr(self, 'v', None)
        if config.in_recomputing and v is not None:
            return u, v
        with backend.using_device(link.device):
            u, v = update_approximate_vectors(
                matrix, u, self.n_power_iteration, self.eps)
        self.v = v
        if config.train:
            setattr(link, self.vector_name, u)
        return u, v

    def normalize_weight(self, link: Link) -> Variable:
        """Return the normalized weight; in training, continue the power iteration.

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
        matrix = self.reshape_W(weight)
        u, v = self._iterate(link, matrix)
        sigma = calculate_max_singular_value(matrix, u, v)
        if self.factor is not None:
            sigma = sigma / self.factor
        if self.use_gamma:
            return weight * (link.gamma / sigma)
        return weight / sigma

    def _compute(self, link):
        # Subclasses in programs override it.
        return self.normalize_weight(link)
