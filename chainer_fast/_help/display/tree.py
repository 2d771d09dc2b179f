"""Collapsible trees as HTML.

The HTML loads no resources and runs no scripts. It inherits the colours of the
surrounding text, so that it is readable on dark pages, too.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

# A page with more objects is slow and unreadable.
_MOST_NODES = 1000

_STYLE = '''<style>
.chainer-fast{font-size:.92em;line-height:1.55}
.chainer-fast details>:not(summary){margin-left:1.4em}
.chainer-fast .leaf{padding-left:1.05em}
.chainer-fast details details,.chainer-fast .leaf{border-left:1px solid #8886}
.chainer-fast details details>summary,.chainer-fast .leaf{padding-left:.6em}
.chainer-fast summary{cursor:pointer}
.chainer-fast .kind,.chainer-fast td{font-family:monospace}
.chainer-fast .note{opacity:.7;margin-left:.6em}
.chainer-fast table{border-collapse:collapse;color:inherit;font-size:1em}
.chainer-fast table{margin:.1em 0 .3em;border:0}
.chainer-fast td{text-align:left;padding:0 1.2em 0 .6em;border:0;background:none}
</style>'''


class Tree(NamedTuple):
    """An object, its properties, and the objects that it contains.

    Attributes
    ----------
    kind : str
        Its class.
    name : str
        Its name in the containing object.
    note : str
        Text shown beside the name.
    rows : iterable of tuple of str
        Rows shown when the object is expanded.
    inside : iterable of Tree
        The contained objects; an iterator is consumed only as far as they are
        shown.
    """

    kind: str
    name: str = ''
    note: str = ''
    rows: Iterable[tuple[str, ...]] = ()
    inside: Iterable[Tree] = ()


def escaped(text: str) -> str:
    """Return a text, escaped for HTML."""
    import html  # importing it takes over a millisecond, and few programs need it
    return html.escape(text)


def to_html(tree: Tree) -> str:
    """Return a tree as HTML.

    The first level is expanded, as are objects that are the only ones in another.
    """
    parts = ['<div class="chainer-fast">', _STYLE]
    _Writer(parts.append).write(tree, is_open=True)
    parts.append('</div>')
    return ''.join(parts)


class _Writer:

    def __init__(self, out) -> None:
        self._out = out
        self._left = _MOST_NODES

    def write(self, tree, is_open=False):
        out = self._out
        self._left -= 1
        heading = ''.join(
            template % escaped(text) for template, text in (
                ('<b>%s</b> ', tree.name), ('<span class="kind">%s</span>', tree.kind),
                ('<span class="note">%s</span>', tree.note)) if text)
        rows, inside = list(tree.rows), iter(tree.inside)
        first = next(inside, None)
        if not rows and first is None:
            out('<div class="leaf">%s</div>' % heading)
            return
        out('<details%s><summary>%s</summary>' % (' open' * is_open, heading))
        if rows:
            out('<table>%s</table>' % ''.join(map(_row, rows)))
        while first is not None:
            if self._left <= 0:
                out('<div class="leaf">...</div>')
                break
            this, first = first, next(inside, None)
            is_open = is_open and first is None
            self.write(this, is_open)
        out('</details>')


def _row(texts):
    return '<tr>%s</tr>' % ''.join('<td>%s</td>' % escaped(text) for text in texts)
