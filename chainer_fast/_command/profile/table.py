"""Tables of text."""
import itertools

_NUMBERS = {'calls', 's', '%', 'GPU s', 'forward ms', 'backward ms', 'MiB'}


def text(heads, lines):
    """Return aligned columns; those of numbers are aligned at the right."""
    lines = [heads, *lines]
    columns = list(itertools.zip_longest(*lines, fillvalue=''))
    widths = [max(map(len, column)) for column in columns]
    return '\n'.join(
        '  '.join(cell.rjust(width) if head in _NUMBERS else cell.ljust(width)
                  for head, cell, width in zip(heads, line, widths, strict=True)
                  ).rstrip()
        for line in lines)
