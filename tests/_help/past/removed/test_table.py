"""The committed table of removed names is the one that the entries make."""
import pathlib

from chainer_fast._help.past.removed import __main__ as page
from chainer_fast._help.past.removed.entry import Removed

FILE = pathlib.Path(__file__).parents[4] / 'docs' / 'legacy-table.md'


def test_committed_table():
    assert FILE.read_text(encoding='utf-8') == page.table(), (
        'write it anew: '
        'python -m chainer_fast._help.past.removed > docs/legacy-table.md')


def test_row():
    entry = Removed('a.b(c=)', 'Chainer 1.24', 'write a | b', 'v1', 'as it was')
    assert page._row(entry) == (
        r'| `a.b(c=)` | Chainer 1.24 | write a \| b | adapted (`v1`): as it was |')
    assert page._row(Removed('an idiom', 'Python 2.7', 'nothing')) == (
        '| an idiom | Python 2.7 | nothing | not adapted |')
