"""Layer that passes part of its input through."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from chainer_fast import link
from chainer_fast.functions.activation import relu, sigmoid
from chainer_fast.links.connection import linear
from chainer_fast.types import InitializerSpec
from chainer_fast.variable import Variable, VariableOrArray

if TYPE_CHECKING:
    from chainer_fast.links.connection.linear import Linear


class Highway(link.Chain):
    """Fully connected layer with a gate that passes part of the input unchanged.

    .. math:: y = t \\odot a(W_h x + b_h) + (1 - t) \\odot x,
        \\quad t = \\sigma(W_t x + b_t)

    with an activation function :math:`a`. With a negative initial :math:`b_t`, the
    layer initially passes most of its input.

    Parameters
    ----------
    in_out_size : int
        Number of inputs, and of outputs.
    nobias : bool
        Whether to omit both biases.
    activate : callable
        Activation function.
    init_Wh, init_Wt : initializer or None
        Initializers of the weights of the layer and of its gate.
    init_bh, init_bt : initializer or None
        Initializers of their biases.

    Attributes
    ----------
    plain, transform : chainer_fast.links.Linear
        The layer, and its gate.
    activate : callable
        As given.

    See Also
    --------
    chainer_fast.links.Linear

    References
    ----------
    R. K. Srivastava, K. Greff and J. Schmidhuber. `Highway networks
    <https://arxiv.org/abs/1505.00387>`__. 2015.

    Examples
    --------
    >>> layer = L.Highway(3)
    >>> x = np.ones((2, 3), np.float32)
    >>> layer(x).shape
    (2, 3)

    A layer whose gate is closed returns its input:

    >>> shut = L.Highway(3, init_bt=-100)
    >>> shut(x).array
    array([[1., 1., 1.],
           [1., 1., 1.]], dtype=float32)
    """

    def __init__(
            self, in_out_size: int, nobias: bool = False,
            activate: Callable[..., Any] = relu.relu,
            init_Wh: InitializerSpec | None = None,
            init_Wt: InitializerSpec | None = None,
            init_bh: InitializerSpec | None = None,
            init_bt: InitializerSpec | None = -1) -> None:
        super().__init__()
        self.activate = activate
        size = in_out_size, in_out_size, nobias
        with self.init_scope():
            self.plain: Linear = linear.Linear(*size, init_Wh, init_bh)
            self.transform: Linear = linear.Linear(*size, init_Wt, init_bt)

    def forward(self, x: VariableOrArray) -> Variable:
        """Apply the layer.

        Parameters
        ----------
        x : chainer_fast.Variable or array, shape (n, in_out_size)
            Input.

        Returns
        -------
        chainer_fast.Variable
            Output of the shape of ``x``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` has another shape or dtype.
        """
        transformed = self.activate(self.plain(x))
        gate = sigmoid.sigmoid(self.transform(x))
        return transformed * gate + x * (1 - gate)
