"""Restoring a model's state after an export."""
import contextlib
import numbers

from chainer_fast.backends.arrays import get_array_types
from chainer_fast.variable import Parameter, Variable


@contextlib.contextmanager
def unchanged(model):
    """Return a context that restores the state of a model.

    Gradients, persistent values, and variables that links keep between calls, such as
    the states of an LSTM, are restored. Objects that get their shape in the context,
    such as a parameter at its first use, keep it.

    Parameters
    ----------
    model : chainer_fast.Link
        The model.
    """
    gradients = [(param, param.grad_var) for param in model.params()
                 if param.is_initialized]
    attributes = [(link, dict(vars(link))) for link in model.links()]
    values, arrays = [], []
    for link in model.links():
        for name in link._persistent:
            value = getattr(link, name)
            if isinstance(value, get_array_types()):
                arrays.append((link, name, value, value.copy()))
            elif isinstance(value, numbers.Number):
                values.append((link, name, value))
    try:
        yield
    finally:
        for param, gradient in gradients:
            param.grad_var = gradient
        for link, name, value in values:
            setattr(link, name, value)
        for link, name, value, copy in arrays:
            value[...] = copy
            setattr(link, name, value)
        for link, before in attributes:
            _restore_variables(link, before)


def _restore_variables(link, before):
    for name, value in list(vars(link).items()):
        if not isinstance(value, Variable) or isinstance(value, Parameter) \
                or before.get(name) is value:
            continue
        if name in before:
            setattr(link, name, before[name])
        else:
            delattr(link, name)
