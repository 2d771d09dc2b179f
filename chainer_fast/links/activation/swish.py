"""Swish with a learned parameter."""
from __future__ import annotations

from chainer_fast import link, variable
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.functions.activation import swish
from chainer_fast.initializers import constant
from chainer_fast.types import InitializerSpec, NdArray
from chainer_fast.variable import Parameter, Variable, VariableOrArray


class Swish(link.Link):
    """Input times its sigmoid, with a learned steepness.

    .. math:: y = x \\, \\sigma(\\beta x)

    See :func:`chainer_fast.functions.swish`.

    Parameters
    ----------
    beta_shape : tuple of int or None
        Shape of the steepness: that of the first axes of the input after the batch
        axis, or ``()`` for a single number. None means all axes after the batch axis,
        determined at the first call.
    beta_init : float, array or initializer
        Initializes the steepness.

    Attributes
    ----------
    beta : chainer_fast.Parameter
        The steepness.

    See Also
    --------
    chainer_fast.functions.swish

    References
    ----------
    P. Ramachandran, B. Zoph and Q. V. Le. `Searching for activation functions
    <https://arxiv.org/abs/1710.05941>`__. 2017.

    Examples
    --------
    >>> swish = L.Swish(())
    >>> swish(np.array([[-1, 0, 1]], np.float32)).array
    array([[-0.2689,  0.    ,  0.7311]], dtype=float32)
    """

    def __init__(
            self, beta_shape: tuple[int, ...] | None,
            beta_init: float | NdArray | InitializerSpec = 1.0) -> None:
        super().__init__()
        if beta_shape is None and isinstance(beta_init, get_array_types()):
            # As an initializer: the shape is not known yet.
            beta_init = constant.Constant(beta_init)
        with self.init_scope():
            self.beta: Parameter = variable.Parameter(beta_init, beta_shape)

    def forward(self, x: VariableOrArray) -> Variable:
        """Apply the function.

        Parameters
        ----------
        x : chainer_fast.Variable or array
            Input.

        Returns
        -------
        chainer_fast.Variable
            Output of the shape of ``x``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` has another dtype than the steepness, or other axes after the first
            one.
        """
        beta = self.beta
        if beta.array is None:
            beta.initialize(x.shape[1:])
        return swish.swish(x, beta)
