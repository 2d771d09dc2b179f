"""The order of names in dictionaries and sets of Python 2, and of keyword arguments.

The hash of a text, and the places that it takes in a table, did not change from process
to process, so that programs went through their parameters in the same order each time.
Python made a dictionary of keyword arguments for each function with ``**`` on the way.
"""

_BITS = (1 << 64) - 1


def _hash(text):
    value = ord(text[0]) << 7 if text else 0
    for character in text:
        value = (1000003 * value & _BITS) ^ ord(character)
    return value ^ len(text)


def _put(table, text):
    """Put a text into the first free place of those that its hash leads to."""
    rest = place = _hash(text)
    while table[place % len(table)] is not None:
        place = place * 5 + rest + 1 & _BITS
        rest >>= 5
    table[place % len(table)] = text


def in_table(names):
    """Return names in the order of a dictionary or set of Python 2 that takes them.

    Parameters
    ----------
    names : iterable of str
        Names, each once.

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
    """Return keywords in the order that a class which is called was given.

    Parameters
    ----------
    names : iterable of str
        Names in the order of the source.

    Returns
    -------
    list of str
    """
    return in_table(reversed(list(names)))
