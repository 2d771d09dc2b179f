"""Margins of losses."""
from chainer_fast import backend


def in_dtype_of(x, margin):
    """Return a margin with which arithmetic keeps the dtype of ``x``.

    Numbers of Python do. NumPy 2 has one type for a number of NumPy and for an array.
    """
    if isinstance(margin, (int, float)) and type(margin).__module__ == 'builtins':
        return margin
    return backend.get_array_module(x).asarray(margin, x.dtype)
