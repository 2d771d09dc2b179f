"""Colours on terminals that support them."""
import os
import sys

_CODES = {'green': 32, 'red': 31, 'yellow': 33}


def coloured(text, colour, file):
    """Return a text in a colour, or unchanged unless a file is such a terminal.

    The user can turn colours off (`no-color.org <https://no-color.org>`_).
    """
    if (sys.platform == 'win32' or os.environ.get('NO_COLOR')
            or os.environ.get('TERM') == 'dumb' or not file.isatty()):
        return text
    return '\033[%dm%s\033[0m' % (_CODES[colour], text)
