"""Parametric rectifier."""
from __future__ import annotations

from chainer_fast import link, variable
from chainer_fast.functions.activation import prelu
from chainer_fast.types import InitializerSpec, NdArray
from chainer_fast.variable import Variable, VariableOrArray


class PReLU(link.Link):
    """Rectifier with a learned slope for negative inputs.

    .. math:: y = \\max(0, x) + W \\min(0, x)

    See :func:`chainer_fast.functions.prelu`.

    Parameters
    ----------
    shape : tuple of int
        Shape of the slope: that of the first axes of the input after the batch axis, or
        ``()`` for a single slope.
    init : float, array or initializer
        Initializes the slope.

    Attributes
    ----------
    W : chainer_fast.Parameter
        The slope.

    See Also
    --------
    chainer_fast.functions.prelu

    References
    ----------
    K. He, X. Zhang, S. Ren and J. Sun. `Delving deep into rectifiers
    <https://arxiv.org/abs/1502.01852>`__. ICCV 2015.

    Examples
    --------
    >>> prelu = L.PReLU()
    >>> prelu(np.array([[-4, 0, 4]], np.float32)).array
    array([[-1.,  0.,  4.]], dtype=float32)

    A slope for each channel of images:

    >>> prelu = L.PReLU((3,))
    >>> prelu(np.zeros((1, 3, 5, 5), np.float32)).shape
    (1, 3, 5, 5)
    """

    def __init__(
            self, shape: tuple[int, ...] = (),
            init: float | NdArray | InitializerSpec = 0.25) -> None:
        super().__init__()
        slope = variable.Parameter(init, shape)
        with self.init_scope():
            self.W = slope

    def forward(self, x: VariableOrArray) -> Variable:
        """Apply the rectifier.

        Parameters
        ----------
        x : chainer_fast.Variable or array
            Input, whose axes after the first one begin with those of the slope.

        Returns
        -------
        chainer_fast.Variable
            Output of the shape of ``x``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` has another dtype than the slope, or other axes after the first
            one.
        """
        return prelu.prelu(x, self.W)
