"""Display of links in notebooks. Only shapes are read, never the elements of arrays."""
from __future__ import annotations

from typing import Any

from chainer_fast._help import display
from chainer_fast._help.display.tree import Tree
from chainer_fast.backends.arrays import get_array_types

_MOST_CHARACTERS = 80


class Shown(display.Shown):
    """Base of links that shows parameters, persistent values and children."""

    def _shown(self) -> Tree:
        return describe(self)

    def _shown_inside(self):
        """Pairs of a name and a child, or another callable."""
        return self._named_children()  # type: ignore[attr-defined]


def describe(link: Any, name: str = '', around: Any = None) -> Tree:
    """Return the description of a link.

    Parameters
    ----------
    link : Link
    name : str
        Name of the link in its parent.
    around : Link, optional
        Parent of the link. The device is shown if there is none.
    """
    notes = [_cut(', '.join('%s=%s' % spec for spec in link.printable_specs))]
    notes.append(_count(link))
    if around is None or link.device != around.device:
        notes.append('on %s' % link.device)
    return Tree(
        type(link).__name__, name, ' · '.join(filter(None, notes)), _rows(link),
        (_describe_any(child, label, link) for label, child in link._shown_inside()))


def _describe_any(layer, name, around):
    if isinstance(layer, Shown):
        return describe(layer, name, around)
    label = getattr(layer, '__name__', type(layer).__name__)
    return Tree(label, name)


def _count(link):
    params = {id(param): param for param in link.params()}.values()
    sizes = [(param.size, param.array.nbytes) for param in params
             if param.is_initialized]
    texts = []
    if sizes:
        count, n_bytes = map(sum, zip(*sizes, strict=True))
        texts.append('%s (%s)' % (
            display.plural(count, 'parameter'), display.size(n_bytes)))
    if len(sizes) < len(params):
        texts.append('%s not initialized' % display.plural(
            len(params) - len(sizes), 'array'))
    return ', '.join(texts)


def _rows(link):
    values = vars(link)
    for name in sorted(link._params):
        param = values[name]
        rule = param.update_rule
        frozen = 'not updated' if rule is not None and not rule.enabled else ''
        if param.is_initialized:
            yield name, str(param.shape), str(param.dtype), frozen
        else:
            yield name, 'not initialized', '', frozen
    arrays = get_array_types()
    for name in sorted(link._persistent):
        value = values.get(name)
        if isinstance(value, arrays):
            yield name, str(value.shape), str(value.dtype), 'persistent'
        else:
            yield name, _cut(repr(value)), '', 'persistent'


def _cut(text):
    if len(text) <= _MOST_CHARACTERS:
        return text
    return text[:_MOST_CHARACTERS - 3] + '...'
