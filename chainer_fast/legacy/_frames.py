"""Frames of the program, as opposed to those of this package and of imports."""
import importlib
import os
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# The program's calls, and its imports, come through these files. Compiled functions
# have no frame; importlib's own are called <frozen ...>.
_NOT_OF_PROGRAM = (_PACKAGE, importlib.__file__, '<frozen ')


def caller(ignored=()):
    """Return the innermost frame that is not of this package, nor of an import.

    Parameters
    ----------
    ignored : tuple of str
        Top-level packages to look through as well.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and (
            frame.f_code.co_filename.startswith(_NOT_OF_PROGRAM)
            or str(frame.f_globals.get('__name__')).partition('.')[0] in ignored):
        frame = frame.f_back
    return frame


def is_called_by_program():
    """Tell whether what calls this function is itself called by the program.

    Compiled functions in between do not count.
    """
    return not sys._getframe(2).f_code.co_filename.startswith(_NOT_OF_PROGRAM)


def package_of(path):
    """Return the installed package to which a file belongs, or None.

    Files of the program belong to none.
    """
    for folder in 'site-packages', 'dist-packages':
        _, found, inside = path.rpartition(folder + os.sep)
        if found:
            return inside.partition(os.sep)[0].removesuffix('.py')
    return None
