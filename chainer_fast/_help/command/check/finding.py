"""One finding."""
from typing import NamedTuple


class Finding(NamedTuple):
    """One place in a source that uses something that was removed.

    Attributes
    ----------
    line, column, end_line, end_column : int
        Position of the expression in the original source: lines from 1, columns from
        0, in characters.
    what : str
        The entry of ``chainer_fast._help.past.removed`` that it uses, or a full name
        that the installed packages lack.
    instead : str
        What to write today.
    last : str
        Last release that had it, if known.
    argument : str
        Name of the removed argument, or an empty string.
    position : int
        Index of that argument among the positional ones; -1 for a keyword argument.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    what: str
    instead: str
    last: str = ''
    argument: str = ''
    position: int = -1
