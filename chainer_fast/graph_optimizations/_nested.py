"""Lists and tuples inside each other, which chains take and return."""


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


def replaced(replace, xs):
    """Return nested lists and tuples with ``replace(x)`` for each element."""
    if not isinstance(xs, (list, tuple)):
        return replace(xs)
    return type(xs)([replaced(replace, x) for x in xs])
