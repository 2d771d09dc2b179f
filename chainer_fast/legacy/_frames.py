"""Frames of the program, as opposed to those of this package and of imports."""
import importlib
import os
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# Calls and imports of the program pass through these files. Compiled functions have no
# frame; the names of importlib's files are <frozen ...>.
_NOT_OF_PROGRAM = (_PACKAGE, importlib.__file__, '<frozen ')


def caller(ignored=()):
    """Return the innermost frame that belongs neither to this package nor to an import.

    Parameters
    ----------
    ignored : tuple of str
        Further top-level packages to skip.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and (
            frame.f_code.co_filename.startswith(_NOT_OF_PROGRAM)
            or str(frame.f_globals.get('__name__')).partition('.')[0] in ignored):
        frame = frame.f_back
    return frame


def is_called_by_program():
    """Return whether the program calls the caller of this function.

    Compiled functions in between are ignored.
    """
    return not sys._getframe(2).f_code.co_filename.startswith(_NOT_OF_PROGRAM)


def package_of(path):
    """Return the installed package to which a file belongs, or None.

    Files of the program belong to no package.
    """
    for folder in 'site-packages', 'dist-packages':
        _, found, inside = path.rpartition(folder + os.sep)
        if found:
            return inside.partition(os.sep)[0].removesuffix('.py')
    return None
