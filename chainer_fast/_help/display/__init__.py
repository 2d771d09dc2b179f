"""Display of objects in notebooks."""
from __future__ import annotations

from chainer_fast._help.display import tree


class Shown:
    """Base class of objects that notebooks display as a tree.

    A subclass defines ``_shown``, which describes the object; consoles still show
    ``repr``.
    """

    def _shown(self) -> tree.Tree:
        """Return the description."""
        raise NotImplementedError

    def _repr_html_(self):
        # If a class overrides ``__repr__``, that is displayed; the alias only changes
        # the name of the module.
        shown = type(self).__repr__
        if shown is not object.__repr__ and getattr(
                shown, '__module__', None) != 'chainer_fast.alias._shown':
            return None
        return tree.to_html(self._shown())


def size(n_bytes: float) -> str:
    """Return a number of bytes as a short text, such as ``'1.2 MB'``."""
    if n_bytes < 1000:
        return '%d B' % n_bytes
    units = iter(('kB', 'MB', 'GB'))
    while n_bytes >= 999.5:
        n_bytes /= 1000
        unit = next(units)
    return '%.3g %s' % (n_bytes, unit)


def plural(n: int, noun: str) -> str:
    """Return ``'1 link'``, ``'2,000 links'``."""
    return '%s %s%s' % (f'{n:,}', noun, '' if n == 1 else 's')
