"""Fully connected layer that drops random weights."""
from __future__ import annotations

import math

from chainer_fast import initializers, link, variable
from chainer_fast.functions.noise import simplified_dropconnect
from chainer_fast.initializers import normal
from chainer_fast.types import InitializerSpec
from chainer_fast.variable import Parameter, Variable, VariableOrArray


class SimplifiedDropconnect(link.Link):
    """Fully connected layer that drops random weights in training.

    .. math:: y = x (M \\odot W / (1 - p))^\\top + b

    where the elements of :math:`M` are zero with the probability :math:`p`, and one
    otherwise. See :func:`chainer_fast.functions.simplified_dropconnect`.

    Parameters
    ----------
    in_size : int or None
        Number of inputs. If None, it is determined at the first call, which also
        initializes ``W``.
    out_size : int
        Number of outputs.
    ratio : float
        Probability of dropping a weight.
    nobias : bool
        Whether to omit the bias.
    initialW : initializer or None
        Initializes the weight; a normal distribution with the variance ``1 / in_size``
        if None.
    initial_bias : initializer or None
        Initializes the bias; zero if None.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Weight of shape ``(out_size, in_size)``.
    b : chainer_fast.Parameter or None
        Bias of shape ``(out_size,)``.
    out_size, ratio
        As given.

    See Also
    --------
    chainer_fast.functions.simplified_dropconnect

    References
    ----------
    L. Wan et al. `Regularization of neural networks using DropConnect
    <https://cs.nyu.edu/~wanli/dropc/>`__. ICML 2013.

    Examples
    --------
    >>> layer = L.SimplifiedDropconnect(3, 2, ratio=0.25)
    >>> x = np.ones((4, 3), np.float32)
    >>> layer(x).shape
    (4, 2)

    A call can turn the dropping of weights off:

    >>> y = layer(x, train=False)
    >>> np.allclose(y.array, F.linear(x, layer.W, layer.b).array)
    True
    """

    out_size: int
    ratio: float
    b: Parameter | None

    def __init__(
            self, in_size: int | None, out_size: int, ratio: float = 0.5,
            nobias: bool = False, initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None) -> None:
        super().__init__()
        self.out_size, self.ratio = out_size, ratio
        if initialW is None:
            initialW = normal.HeNormal(0.5 ** 0.5)
        if initial_bias is None:
            initial_bias = 0
        W = variable.Parameter(initializers._get_initializer(initialW))
        b = None if nobias else variable.Parameter(
            initializers._get_initializer(initial_bias), out_size)
        with self.init_scope():
            self.W, self.b = W, b
        if in_size is not None:
            self._initialize_params(in_size)

    def _initialize_params(self, in_size):
        self.W.initialize((self.out_size, in_size))

    def forward(
            self, x: VariableOrArray, train: bool = True,
            mask: VariableOrArray | None = None,
            use_batchwise_mask: bool = True) -> Variable:
        """Apply the layer.

        Parameters
        ----------
        x : chainer_fast.Variable or array
            Input; the axes after the first one are flattened.
        train : bool
            Whether to drop weights; ``chainer.config.train`` is ignored.
        mask : array, Variable or None
            Weights to keep, instead of random ones.
        use_batchwise_mask : bool
            Whether each row of the batch has its own mask.

        Returns
        -------
        chainer_fast.Variable
            Output of shape ``(n, out_size)``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` has another dtype or number of elements, or only one axis.
        """
        W = self.W
        if W.array is None:
            self._initialize_params(math.prod(x.shape[1:]))
        return simplified_dropconnect.simplified_dropconnect(
            x, W, self.b, self.ratio, train, mask, use_batchwise_mask)
