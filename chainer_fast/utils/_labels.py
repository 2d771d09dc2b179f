"""Errors about labels, ids and indices that are out of range."""
import numpy


def where_outside(name, values, low, high, ignored=None):
    """Describe the first value not from ``low`` to ``high - 1``, or return None."""
    outside = (values < low) | (values >= high)
    if ignored is not None:
        outside &= values != ignored
    if not outside.any():
        return None
    place = tuple(numpy.argwhere(outside)[0].tolist())
    return '%s[%s] is %d' % (name, ', '.join(map(str, place)), int(values[place]))


def check(n, rows_of, ignored=None, **labels):
    """Raise ``ValueError`` if a label is negative or too large, as debug mode does.

    Parameters
    ----------
    n : int
        Number of rows that the labels refer to.
    rows_of : str
        The name of the matrix with these rows.
    ignored : int or None
        Label that is ignored.
    **labels : array
        Labels by the names of the arguments.
    """
    for name, values in labels.items():
        known = (values >= 0) & (values < n)
        if ignored is not None:
            known |= values == ignored
        if not known.all():
            raise ValueError(
                'Each not ignored `%s` value need to satisfy `0 <= %s < len(%s)`: %s, '
                'and %s has %s rows' % (
                    name, name, rows_of, where_outside(name, values, 0, n, ignored),
                    rows_of, n))


def explain(error, n, what, ignored=None, **labels):
    """Return the error to raise instead of an ``IndexError`` that labels caused.

    Labels are examined only after a failure, so that valid labels have no cost. As in
    NumPy, negative labels count from the end. Labels on a GPU are ignored, because the
    check would have to wait for the GPU.

    Parameters
    ----------
    error : IndexError
        The exception that was raised.
    n : int
        Number of objects that the labels refer to.
    what : str
        Name of these objects, such as ``'classes'``.
    ignored : int or None
        Label that is ignored.
    **labels : array
        Labels by the names of the arguments.
    """
    for name, values in labels.items():
        if not isinstance(values, numpy.ndarray):
            continue
        found = where_outside(name, values, -n, n, ignored)
        if found is not None:
            return IndexError('%s, which is out of bounds: there are %s %s, 0 to %d' % (
                found, n, what, n - 1))
    return error
