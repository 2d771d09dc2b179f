"""A model's state, which an export leaves as it was."""
import contextlib
import numbers

from chainer_fast.backends.arrays import get_array_types


@contextlib.contextmanager
def unchanged(model):
    """Return a context after which gradients and persistent values are as before.

    What gets its shape in the context, such as a parameter at its first use, keeps it.

    Parameters
    ----------
    model : chainer_fast.Link
        The model.
    """
    gradients = [(param, param.grad_var) for param in model.params()
                 if param.is_initialized]
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
