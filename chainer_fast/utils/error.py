"""Text for messages."""


def _format_array_props(arrays):
    """Return shapes and dtypes of arrays, e.g. ``'(3, 2):float32, (3,):int32'``."""
    assert isinstance(arrays, (list, tuple)), (
        'expected a list or a tuple of arrays, got %s' % type(arrays))
    return ', '.join([
        'None' if x is None else '%s:%s' % (x.shape, x.dtype.name) for x in arrays])
