"""Functions that several distributions share."""
import warnings

from chainer_fast import backend, utils
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array.where import where
from chainer_fast.functions.math import exponential
from chainer_fast.variable import as_array, as_variable


class ModifiedXLogX(FunctionNode):
    """The product of a number and its logarithm, which is zero at zero.

    Parameters
    ----------
    logx : Variable
        Logarithms of the positive inputs, zero in the places of others, connected to
        the inputs.
    """

    def __init__(self, logx):
        super().__init__()
        self._logx = logx

    def forward(self, inputs):
        x, = inputs
        self.x_zero = utils.force_array(x == 0)
        return utils.force_array(x * self._logx.array, x.dtype),

    def backward(self, indexes, grad_outputs):
        gy, = grad_outputs
        slope = self._logx + 1
        if self.x_zero.any():
            # The slope there is minus infinity, of no use to an optimizer.
            warnings.warn(
                'x * log(x) has no gradient at x = 0; zero is taken in its place.',
                RuntimeWarning, stacklevel=2)
            xp = backend.get_array_module(self.x_zero)
            slope = where(self.x_zero, xp.zeros_like(slope.array), slope)
        return slope * gy,


def _modified_xlogx(x):
    """Return ``x * log(x)``, continued by zero at zero.

    Parameters
    ----------
    x : Variable or array
        Values that are not negative. At zero the gradient is zero, with a warning.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.
    """
    x = as_variable(x)
    array = as_array(x)
    xp = backend.get_array_module(array)
    # The ones keep the logarithm and its slope finite where they are not used.
    logx = exponential.log(where(
        utils.force_array(array > 0), x, xp.ones_like(array)))
    return ModifiedXLogX(logx).apply((x,))[0]
