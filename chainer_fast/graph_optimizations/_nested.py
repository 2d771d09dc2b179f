"""Nested lists and tuples of arguments and results of chains."""


def flatten(xs):
    """Return the elements of nested lists and tuples as one list."""
    if not isinstance(xs, (list, tuple)):
        return [xs]
    found = []
    for x in xs:
        if isinstance(x, (list, tuple)):
            found += flatten(x)
        else:
            found.append(x)
    return found


def is_constant(x):
    """Return whether an object in a result can be the same in every call."""
    return x is None or isinstance(x, (bool, int, float, str))


def replaced(replace, xs):
    """Return nested lists and tuples with ``replace(x)`` for each element."""
    if not isinstance(xs, (list, tuple)):
        return replace(xs)
    return type(xs)([replaced(replace, x) for x in xs])
