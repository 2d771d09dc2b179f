"""Checks of keyword arguments that a function takes as ``**kwargs``.

Prefer keyword-only parameters; this is for functions that must refuse arguments of
earlier versions.
"""
import sys


def check_unexpected_kwargs(kwargs, **unexpected):
    """Refuse arguments that are no longer supported.

    Parameters
    ----------
    kwargs : dict
        Keyword arguments of the function.
    **unexpected : str
        Names of retired arguments, and the error messages for them.

    Raises
    ------
    ValueError
        If a retired argument is given.
    """
    for name, message in unexpected.items():
        if name in kwargs:
            raise ValueError(message)


def parse_kwargs(kwargs, *name_and_values, **unexpected):
    """Take arguments out of ``kwargs``.

    Parameters
    ----------
    kwargs : dict
        Keyword arguments of the function. Those taken are removed.
    *name_and_values : tuple of (str, object)
        Names of the arguments, and their defaults.
    **unexpected : str
        Retired arguments, see :func:`check_unexpected_kwargs`.

    Returns
    -------
    tuple
        The values of the arguments, in the order of ``name_and_values``.

    Raises
    ------
    ValueError
        If a retired argument is given.
    TypeError
        If any other argument is left.
    """
    check_unexpected_kwargs(kwargs, **unexpected)
    values = tuple([kwargs.pop(name, default) for name, default in name_and_values])
    _check_all_taken(kwargs)
    return values


def assert_kwargs_empty(kwargs):
    """Raise ``TypeError`` if any argument is left in ``kwargs``."""
    _check_all_taken(kwargs)


def _check_all_taken(kwargs):
    if kwargs:
        # The function called with the arguments is two frames up.
        raise TypeError('%s() got unexpected keyword argument(s) %s' % (
            sys._getframe(2).f_code.co_name, ', '.join(map(repr, sorted(kwargs)))))
