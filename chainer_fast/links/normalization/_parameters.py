"""Parameters that scale and shift normalized data."""
from chainer_fast import initializers, variable


def make(initial, default, dtype):
    """Create a parameter whose shape is not known yet.

    Parameters
    ----------
    initial : initializer or None
        Initializer of the parameter. If it is an initializer object, its dtype is set.
    default : float
        Initial value if ``initial`` is None.
    dtype : dtype specifier
        Type of the parameter.

    Returns
    -------
    chainer_fast.Parameter
    """
    initializer = initializers._get_initializer(
        default if initial is None else initial)
    initializer.dtype = dtype
    return variable.Parameter(initializer)


def initialize(shape, *parameters):
    """Initialize the parameters that are not initialized yet.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the parameters.
    *parameters : chainer_fast.Parameter or None
        The parameters, in the order in which they draw random numbers.
    """
    for parameter in parameters:
        if parameter is not None and parameter.array is None:
            parameter.initialize(shape)
