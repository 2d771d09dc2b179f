"""One finding."""
import typing


class Finding(typing.NamedTuple):
    """One place in a source that uses what is gone.

    Attributes
    ----------
    line, column, end_line, end_column : int
        The expression, in the source as it stands: lines from 1, columns from 0, in
        characters.
    what : str
        The entry of ``chainer_fast._help.past.removed`` that it uses, or a full name
        that the installed packages lack.
    instead : str
        What to write today.
    last : str
        Last release that had it, if that is known.
    argument : str
        Name of the argument that is gone, or an empty string.
    position : int
        Place of that argument among the positional ones; -1 if it has a keyword.
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
