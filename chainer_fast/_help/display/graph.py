"""Directed graphs as SVG."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chainer_fast._help.display.layout import layout
from chainer_fast._help.display.tree import escaped

_FONT_SIZE, _CHARACTER = 12, 7.3
_HEIGHT, _PADDING = 26., 20.
_ROW_GAP, _GAP, _MARGIN = 26., 18., 8.
_ARROW = 6.


class Node(NamedTuple):
    """A node of a picture.

    Attributes
    ----------
    label : str
        The text of the node.
    shape : str
        ``'octagon'``, ``'oval'``, or anything else for a box.
    fill : str
        Colour of its background.
    """

    label: str
    shape: str
    fill: str


def to_svg(nodes: Sequence[Node], edges: Sequence[tuple[int, int]],
           rankdir: str = 'TB') -> str:
    """Return a picture of a graph without cycles.

    Parameters
    ----------
    nodes : sequence of Node
    edges : sequence of tuple of int
        Pairs of positions of nodes, from the first to the second.
    rankdir : {'TB', 'BT', 'LR', 'RL'}
        Direction of the edges.

    Returns
    -------
    str
        The source.
    """
    sideways, backward = rankdir in ('LR', 'RL'), rankdir in ('BT', 'RL')
    widths = [len(node.label) * _CHARACTER + _PADDING for node in nodes]
    breadths = [_HEIGHT] * len(nodes) if sideways else widths
    placed = layout(breadths, edges, _GAP)

    # The distance of rows leaves room for the largest node of each.
    depths = [0.] * (max(placed.rows, default=-1) + 1)
    for row, width in zip(placed.rows, widths, strict=True):
        depths[row] = max(depths[row], width if sideways else _HEIGHT)
    levels, level = [], _MARGIN
    for depth in depths:
        levels.append(level + depth / 2)
        level += depth + _ROW_GAP
    extent = level - _ROW_GAP + _MARGIN
    sides = [center + side * breadth for center, breadth in zip(
        placed.centers, breadths, strict=True) for side in (-.5, .5)]
    sides += [across for way in placed.bends for _, across in way]
    left, right = min(sides, default=0) - _MARGIN, max(sides, default=0) + _MARGIN

    def point(across, along):
        if backward:
            along = extent - along
        return (along, across - left) if sideways else (across - left, along)

    parts = [
        '<path d="%s"/>' % _curve([
            point(placed.centers[tail], levels[placed.rows[tail]]),
            # Straight between the nodes of a row.
            *(point(across, levels[row] + side * depths[row])
              for row, across in way for side in (-.5, .5)),
            point(placed.centers[head], levels[placed.rows[head]])],
            _half(widths[tail], sideways), _half(widths[head], sideways), sideways)
        for (tail, head), way in zip(edges, placed.bends, strict=True)]
    size = point(right, 0 if backward else extent)
    return ''.join([
        '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
        'viewBox="0 0 %d %d">' % (*size, *size),
        '<g fill="none" stroke="#888" stroke-width="1.2">', *parts, '</g>',
        '<g font-family="monospace" font-size="%d" text-anchor="middle">' % _FONT_SIZE,
        *[_draw(node, width, *point(center, levels[row])) for node, width, center, row
          in zip(nodes, widths, placed.centers, placed.rows, strict=True)],
        '</g></svg>'])


def _half(width, sideways):
    return (width if sideways else _HEIGHT) / 2


def _curve(points, start, end, sideways):
    """Return the path of an edge through points, with an arrowhead.

    It starts and ends at the given distances from the centers of its nodes.
    """
    if sideways:
        points = [(y, x) for x, y in points]
    sign = 1 if points[-1][1] > points[0][1] else -1
    (x, y), *_ = points
    points[0] = x, y + sign * start
    tip, y = points[-1]
    points[-1] = tip, y - sign * end

    def text(x, y):
        return '%.1f %.1f' % ((y, x) if sideways else (x, y))

    path = ['M', text(*points[0])]
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        middle = (y0 + y1) / 2
        path += ['C', text(x0, middle), text(x1, middle), text(x1, y1)]
    x, y = points[-1]
    base = y - sign * _ARROW
    left, right = text(x - _ARROW / 2, base), text(x + _ARROW / 2, base)
    return ' '.join([*path, 'M', left, 'L', text(x, y), right])


def _draw(node, width, x, y):
    left, top, right, bottom = (
        x - width / 2, y - _HEIGHT / 2, x + width / 2, y + _HEIGHT / 2)
    fill = escaped(node.fill)
    if node.shape == 'octagon':
        cut = _HEIGHT / 3.4
        corners = [
            (left + cut, top), (right - cut, top), (right, top + cut),
            (right, bottom - cut), (right - cut, bottom), (left + cut, bottom),
            (left, bottom - cut), (left, top + cut)]
        outline = '<polygon points="%s"' % ' '.join('%.1f,%.1f' % p for p in corners)
    else:
        outline = '<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.1f"' % (
            left, top, width, _HEIGHT,
            _HEIGHT / 2 if node.shape in ('oval', 'ellipse') else 2)
    return '%s fill="%s" stroke="#555"/><text x="%.1f" y="%.1f">%s</text>' % (
        outline, fill, x, y + _FONT_SIZE / 3, escaped(node.label))
