"""Tables of a profile."""
from chainer_fast._help.display.table import Table

_NUMBERS = {'calls', 's', '%', 'GPU s', 'forward ms', 'backward ms', 'MiB'}


def text(heads, lines):
    """Return aligned columns; numbers are aligned at the right."""
    return repr(Table(heads, lines, [
        i for i, head in enumerate(heads) if head in _NUMBERS]))
