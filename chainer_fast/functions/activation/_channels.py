"""Parameters whose axes are the first few of those of the input from the second on."""
from chainer_fast.utils import type_check


def check(x_type, parameter_type):
    """Expects a parameter to fit the input."""
    count = type_check.eval(parameter_type.ndim)
    type_check.expect(
        x_type.dtype.kind == 'f',
        parameter_type.dtype == x_type.dtype,
        x_type.ndim >= parameter_type.ndim + 1,
        x_type.shape[1:1 + count] == parameter_type.shape)
