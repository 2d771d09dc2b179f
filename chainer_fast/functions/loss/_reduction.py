"""The ``reduce`` argument of losses."""


def check(reduce, *choices):
    """Raise ``ValueError`` unless a loss knows this way to reduce.

    Parameters
    ----------
    reduce : str
        What was given.
    *choices : str
        What the loss knows, two or more.
    """
    if reduce not in choices:
        names = ', '.join(["'%s'" % choice for choice in choices[:-1]])
        raise ValueError("only %s and '%s' are valid for 'reduce', but '%s' is given"
                         % (names, choices[-1], reduce))


def check_mean_or_no(reduce):
    """Raise ``ValueError`` unless the losses are averaged or given one by one."""
    check(reduce, 'mean', 'no')
