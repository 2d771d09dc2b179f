"""Parameters whose axes are the first axes of the input after the batch axis."""
from chainer_fast.utils import type_check


def check(x_type, parameter_type):
    """Expect a parameter to match the input."""
    count = type_check.eval(parameter_type.ndim)
    type_check.expect(
        x_type.dtype.kind == 'f',
        parameter_type.dtype == x_type.dtype,
        x_type.ndim >= parameter_type.ndim + 1,
        x_type.shape[1:1 + count] == parameter_type.shape)
