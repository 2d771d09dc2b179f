"""Parameters that scale and shift what has been normalized."""
from chainer_fast import initializers, variable


def make(initial, default, dtype):
    """Make a parameter whose shape is not known yet.

    Parameters
    ----------
    initial : initializer or None
        Initializes it. The dtype of an initializer object is set.
    default : float
        Stands for None.
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
    """Initialize parameters that are not yet.

    Parameters
    ----------
    shape : int or tuple of int
        Their shape.
    *parameters : chainer_fast.Parameter or None
        The parameters, in the order in which they draw random numbers.
    """
    for parameter in parameters:
        if parameter is not None and parameter.array is None:
            parameter.initialize(shape)
