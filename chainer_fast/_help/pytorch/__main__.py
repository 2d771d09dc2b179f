"""Print the tables of docs/pytorch.md."""
from __future__ import annotations

import re
import sys

from chainer_fast._help import pytorch

# Separators between code and text.
_WORDS = re.compile(r'; |, (?=(?:a|and|for|in|of|or|outside|the|which)\b)')


def page() -> str:
    """Return the tables, as text in Markdown."""
    lines = []
    for prefix, rows in pytorch.TABLE.values():
        lines += ['| `%s` | here |' % prefix.rstrip('.'), '| --- | --- |']
        lines += ['| %s | %s |' % (_codes(row), _cell(text)) for row, text in rows]
        lines.append('')
    lines += ['| argument, entry of the configuration | here |', '| --- | --- |']
    lines += ['| `%s` | %s |' % (name, _codes(text))
              for name, text in sorted(pytorch.ARGUMENTS.items())]
    lines += ['| `%s` | %s |' % (name, _cell(text))
              for name, text in sorted(pytorch.OF_ARGUMENTS.items())]
    return '\n'.join([*lines, ''])


def _codes(names):
    return ', '.join('`%s`' % name for name in names.split())


def _cell(text):
    """Return a cell with text that begins like code marked as code."""
    if re.match(r'with |(F|L|chainer|model|x|y|optimizer|numpy)\.', text) is None:
        return text
    found = _WORDS.search(text)
    end = len(text) if found is None else found.start()
    return '`%s`%s' % (text[:end], text[end:])


if __name__ == '__main__':
    sys.stdout.write(page())
