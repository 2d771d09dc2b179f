"""The order of names in dictionaries and sets of Python 2, and of keyword arguments.

The hash of a string and its slots in a table did not change between processes, so
programs iterated over their parameters in the same order each time. Python created a
dictionary of keyword arguments for each function with ``**`` along the call.
"""

_BITS = (1 << 64) - 1


def _hash(text):
    value = ord(text[0]) << 7 if text else 0
    for character in text:
        value = (1000003 * value & _BITS) ^ ord(character)
    return value ^ len(text)


def _put(table, text):
    """Insert a string into the first free slot for its hash."""
    rest = place = _hash(text)
    while table[place % len(table)] is not None:
        place = place * 5 + rest + 1 & _BITS
        rest >>= 5
    table[place % len(table)] = text


def in_table(names):
    """Return names in the order of a dictionary or set of Python 2 that contains them.

    Parameters
    ----------
    names : iterable of str
        Distinct names.

    Returns
    -------
    list of str
    """
    table = [None] * 8
    for used, name in enumerate(names, 1):
        _put(table, name)
        if used * 3 < len(table) * 2:
            continue
        size = 8
        while size <= used * 4:
            size *= 2
        table, old = [None] * size, table
        for moved in old:
            if moved is not None:
                _put(table, moved)
    return [name for name in table if name is not None]


def of_call(names):
    """Return keywords in the order in which a called class receives them.

    Parameters
    ----------
    names : iterable of str
        Names in the order of the source.

    Returns
    -------
    list of str
    """
    return in_table(reversed(list(names)))
