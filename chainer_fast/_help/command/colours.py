"""Colours on terminals that show them."""
import os
import sys

_CODES = {'green': 32, 'red': 31, 'yellow': 33}


def coloured(text, colour, file):
    """Return a text in a colour, or as it is where a file is no such terminal.

    The user can forbid colours (`no-color.org <https://no-color.org>`_).
    """
    if (sys.platform == 'win32' or os.environ.get('NO_COLOR')
            or os.environ.get('TERM') == 'dumb' or not file.isatty()):
        return text
    return '\033[%dm%s\033[0m' % (_CODES[colour], text)
