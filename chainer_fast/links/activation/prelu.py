"""Parametric rectifier."""
from __future__ import annotations

from chainer_fast import link, variable
from chainer_fast.functions.activation import prelu
from chainer_fast.types import InitializerSpec, NdArray, VariableOrArray
from chainer_fast.variable import Variable


class PReLU(link.Link):
    """Rectifier with a learnt slope for negative numbers.

    See :func:`chainer_fast.functions.prelu`.

    Parameters
    ----------
    shape : tuple of int
        Shape of the slope, which is that of the input's first axes after the batch
        axis; ``()`` for one slope in all.
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
    K. He, X. Zhang, S. Ren and J. Sun. Delving deep into rectifiers. ICCV 2015.
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
            Input; after its first axis come the axes of the slope.

        Returns
        -------
        chainer_fast.Variable
            Output of the shape of ``x``.
        """
        return prelu.prelu(x, self.W)
