"""Initializers of parameters, as passed to test cases of links."""
import numpy

from chainer_fast import initializers


class InitializerArgument:
    """Initializer argument of a link, and the initializer that the link creates.

    Parameters
    ----------
    argument_value : object
        Argument of the link, such as ``None``.
    expected_initializer : initializer
        An equivalent initializer, array or number.
    """

    def __init__(self, argument_value, expected_initializer):
        if expected_initializer is None:
            raise ValueError(
                'expected_initializer must be the default of the link, not None')
        self.argument_value = argument_value
        self.expected_initializer = expected_initializer


def _check_generated_initializer(init):
    """Raise an exception unless ``init`` can initialize a parameter."""
    if isinstance(init, InitializerArgument):
        return
    if init is None:
        raise ValueError(
            'None lets the link choose the initializer: use InitializerArgument(None, '
            'EXPECTED) to specify the default of the link')
    _get_expected_initializer(init)


def _get_initializer_argument_value(init):
    """Return the argument of the link."""
    return init.argument_value if isinstance(init, InitializerArgument) else init


def _get_expected_initializer(init):
    """Return the initializer that the parameter must match."""
    if isinstance(init, InitializerArgument):
        init = init.expected_initializer
    if not (callable(init) or numpy.isscalar(init)
            or isinstance(init, numpy.ndarray)):
        raise TypeError(
            'expected an initializer, an array of NumPy or a number, not %s'
            % type(init).__name__)
    return initializers._get_initializer(init)
