"""The ``reduce`` argument of losses."""


def check(reduce, *choices):
    """Raise ``ValueError`` unless ``reduce`` is one of the choices.

    Parameters
    ----------
    reduce : str
        Value that the caller passed.
    *choices : str
        Values that the loss accepts, two or more.
    """
    if reduce not in choices:
        names = ', '.join(["'%s'" % choice for choice in choices[:-1]])
        raise ValueError("only %s and '%s' are valid for 'reduce', but '%s' is given"
                         % (names, choices[-1], reduce))


def check_mean_or_no(reduce):
    """Raise ``ValueError`` unless ``reduce`` is ``'mean'`` or ``'no'``."""
    check(reduce, 'mean', 'no')
