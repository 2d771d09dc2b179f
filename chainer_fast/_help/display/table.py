"""Tables, as text for consoles and as HTML for notebooks."""
from __future__ import annotations

from collections.abc import Collection, Sequence

from chainer_fast._help.display.tree import escaped


class Table:
    """Rows of text under headings.

    Parameters
    ----------
    headings : sequence of str
    rows : sequence of sequences of str
        As many texts as there are headings.
    numbers : collection of int
        Columns to align to the right; others are aligned to the left.
    """

    def __init__(
            self, headings: Sequence[str], rows: Sequence[Sequence[str]],
            numbers: Collection[int] = ()) -> None:
        self._headings, self._rows, self._numbers = headings, rows, numbers

    def __repr__(self) -> str:
        widths = [max(map(len, column))
                  for column in zip(self._headings, *self._rows, strict=True)]
        return '\n'.join(
            '  '.join(self._justified(row, widths)).rstrip()
            for row in [self._headings, *self._rows])

    def _justified(self, row, widths):
        for i, (text, width) in enumerate(zip(row, widths, strict=True)):
            yield text.rjust(width) if i in self._numbers else text.ljust(width)

    def _repr_html_(self):
        def row(kind, texts):
            return '<tr>%s</tr>' % ''.join(
                '<%s%s>%s</%s>' % (kind, style(i), escaped(text), kind)
                for i, text in enumerate(texts))

        def style(i):
            if not self._numbers:
                return ''
            # Notebooks align all columns to the right by default.
            side = 'right' if i in self._numbers else 'left'
            return ' style="text-align:%s"' % side

        body = ''.join(row('td', texts) for texts in self._rows)
        return '<table><thead>%s</thead><tbody>%s</tbody></table>' % (
            row('th', self._headings), body)
