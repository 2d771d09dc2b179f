"""Text of CUDA kernels for any number of axes: names, expressions and lines of code."""
from __future__ import annotations

import typing as tp


def mulexp(xs: tp.Sequence[str], init: str | None = None) -> str:
    """Return an expression for the product of ``init`` and ``xs``."""
    return _chain(' * ', xs, init)


def andexp(xs: tp.Sequence[str], init: str | None = None) -> str:
    """Return an expression for the conjunction of ``init`` and ``xs``."""
    return _chain(' && ', xs, init)


def _chain(sign, xs, init):
    terms = list(xs) if init is None else [init, *xs]
    if not terms:
        raise TypeError('no terms to join with %s' % sign.strip())
    return sign.join(terms)


def muladdexp(
        xs: tp.Sequence[str], ys: tp.Sequence[str], init: str | None = None) -> str:
    """Return an expression for the index of an element in an array.

    Parameters
    ----------
    xs, ys : sequence of str
        Lengths of the axes, and coordinates, from the first axis on.
    init : str, optional
        Index along the preceding axes.

    Returns
    -------
    str
        ``(y_1 + x_1 * (y_0 + x_0 * init))``. Without ``init`` it starts at ``y_0``.
    """
    pairs = list(zip(xs, ys, strict=False))
    if init is None:
        if not pairs:
            raise TypeError('no coordinates to make an index of')
        init = pairs.pop(0)[1]
    for length, coordinate in pairs:
        init = '(%s + %s * %s)' % (coordinate, length, init)
    return init


def map_(fn: tp.Callable[..., tp.Any], *lst: tp.Any) -> list[tp.Any]:
    """Return a list of the results of ``map``."""
    return list(map(fn, *lst))


def vars(prefix: str, n: int) -> list[str]:
    """Return ``n`` names: ``prefix_0``, ``prefix_1``, ..."""
    return ['%s_%d' % (prefix, i) for i in range(n)]


def succ_sublists(xs: tp.Sequence[str]) -> list[tp.Sequence[str]]:
    """Return all non-empty tails of a list: ``xs[0:]``, ``xs[1:]``, ..."""
    return [xs[i:] for i in range(len(xs))]


class Writer:
    """Collects lines of code and indents them."""

    def __init__(self) -> None:
        self._indent = 0
        self._lines = []

    def write(self, line: str, indent: str | None = None) -> None:
        """Add a line.

        Parameters
        ----------
        line : str
            The line, without its indentation.
        indent : str, optional
            ``'inc'`` if a block begins after it, ``'dec'`` if one has ended before it,
            ``'decinc'`` if both.
        """
        if indent in ('dec', 'decinc'):
            self._indent -= 1
        self._lines.append('  ' * self._indent + line)
        if indent in ('inc', 'decinc'):
            self._indent += 1

    def get(self) -> str:
        """Return the code."""
        return '\n'.join(self._lines)


def write_division(
        writer: Writer, rest: str, names: tp.Sequence[str],
        lengths: tp.Sequence[str]) -> None:
    """Write the division of an index into coordinates, of the last axis first."""
    for name, length in zip(reversed(names), reversed(lengths), strict=True):
        writer.write('const int %s = %s %% %s;' % (name, rest, length))
        writer.write('%s /= %s;' % (rest, length))
