"""Arguments of ``grad``: their checks and conversions."""
import numbers

from chainer_fast.backends.arrays import get_array_types
from chainer_fast.functions.array.cast import cast
from chainer_fast.variable import Variable


def as_variables(name, given):
    """Return a list of variables for one or several variables."""
    if isinstance(given, Variable):
        return [given]
    try:
        variables = list(given)
    except TypeError:
        variables = [given]
    for i, variable in enumerate(variables):
        if not isinstance(variable, Variable):
            raise ValueError(
                '%s must be a Variable or a sequence of them, but %s[%d] is of %s'
                % (name, name, i, type(variable)))
    return variables


def check_initialized(outputs):
    for i, y in enumerate(outputs):
        if y.array is None:
            raise ValueError(
                'outputs[%d] has no array: initialize the parameter first' % i)


def as_gradients(given, outputs):
    """Return a list of the gradients of the outputs; None represents ones."""
    if given is None:
        return [None] * len(outputs)
    if not isinstance(given, (list, tuple)):
        given = [given]
    if len(given) != len(outputs):
        raise ValueError(
            'grad_outputs must be a list with one element for each of outputs, but '
            'there are %d for %d' % (len(given), len(outputs)))
    return [_as_gradient(i, *pair)
            for i, pair in enumerate(zip(given, outputs, strict=True))]


def as_flags(given, outputs):
    """Return whether each output is persistent; by default all outputs are."""
    try:
        flags = [bool(flag) for flag in given]
    except TypeError:
        raise TypeError(
            'persistent_outputs must be a list of bool, not %s' % type(given))
    if flags and len(flags) != len(outputs):
        raise ValueError(
            'persistent_outputs must be empty or as long as outputs, but has %d '
            'elements instead of %d' % (len(flags), len(outputs)))
    return flags or [True] * len(outputs)


def _as_gradient(i, given, y):
    if given is None:
        return None
    if isinstance(given, numbers.Real):
        with y.device.create_context():
            return Variable(y.xp.full_like(y.array, given), requires_grad=False)
    if isinstance(given, Variable):
        _check_array(i, given.array, y)
        return given if given.dtype == y.dtype else cast(given, y.dtype)
    _check_array(i, given, y)
    # A copy: the results may share this array, and the caller may modify the original.
    return Variable(
        y.device.send(given).astype(y.dtype, copy=True), requires_grad=False)


def _check_array(i, given, y):
    if not isinstance(given, get_array_types()) or given.dtype.kind not in 'biuf':
        raise ValueError(
            'grad_outputs must be None, a real number, an array of real numbers, a '
            'Variable or a list of these, but grad_outputs[%d] is %s' % (
                i, 'of dtype %s' % (given.dtype,) if hasattr(given, 'dtype')
                else type(given)))
    if given.shape != y.shape:
        raise ValueError(
            'each of grad_outputs must have the shape of its output, but '
            'grad_outputs[%d] has %s instead of %s' % (i, given.shape, y.shape))
