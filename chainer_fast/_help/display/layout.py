"""Layout of a directed graph in rows, by Sugiyama's method.

Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system
structures", 1981: each node gets a row; edges over several rows get bends in the rows
between; nodes are ordered by the means of their neighbours, so that few edges cross;
finally they are moved towards these means.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_SWEEPS = 8


class Layout(NamedTuple):
    """Positions of nodes and routes of edges.

    Attributes
    ----------
    rows : list of int
        Row of each node.
    centers : list of float
        Position of the center of each node within its row.
    bends : list of list of (int, float)
        For each edge, the rows between its ends and its positions there.
    """

    rows: list[int]
    centers: list[float]
    bends: list[list[tuple[int, float]]]


def layout(widths: Sequence[float], edges: Sequence[tuple[int, int]],
           gap: float) -> Layout:
    """Place the nodes of a graph without cycles.

    Parameters
    ----------
    widths : sequence of float
        Extents of the nodes along their rows.
    edges : sequence of tuple of int
        Pairs of nodes, from the first to the second.
    gap : float
        Minimum space between nodes of a row.

    Returns
    -------
    Layout
    """
    n = len(widths)
    rows, widths = _rows(n, edges), list(widths)
    # Bends are treated as nodes of zero width.
    ways, steps = [], []
    all_rows = list(rows)
    for tail, head in edges:
        way = range(len(all_rows), len(all_rows) + rows[head] - rows[tail] - 1)
        all_rows += range(rows[tail] + 1, rows[head])
        widths += [0] * len(way)
        ways.append(way)
        stops = [tail, *way, head]
        steps += zip(stops, stops[1:], strict=False)

    before: list[list[int]] = [[] for _ in all_rows]
    after: list[list[int]] = [[] for _ in all_rows]
    for tail, head in steps:
        before[head].append(tail)
        after[tail].append(head)
    layers: list[list[int]] = [[] for _ in range(max(all_rows, default=-1) + 1)]
    for node, row in enumerate(all_rows):
        layers[row].append(node)
    centers = _centers(layers, before, after, widths, gap)
    return Layout(rows, centers[:n], [
        [(all_rows[k], centers[k]) for k in way] for way in ways])


def _rows(n, edges):
    """Put each node below its predecessors, and sources directly above successors."""
    before, after = [0] * n, [[] for _ in range(n)]
    for tail, head in edges:
        before[head] += 1
        after[tail].append(head)
    rows = [0] * n
    ready = [node for node in range(n) if not before[node]]
    sources = list(ready)
    while ready:
        node = ready.pop()
        for head in after[node]:
            rows[head] = max(rows[head], rows[node] + 1)
            before[head] -= 1
            if not before[head]:
                ready.append(head)
    for node in sources:
        if after[node]:
            rows[node] = min(rows[head] for head in after[node]) - 1
    return rows


def _centers(layers, before, after, widths, gap):
    centers = [0.] * len(widths)
    for layer in layers:
        _place(layer, range(len(layer)), centers, widths, gap)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        neighbours = before if down else after
        for layer in layers if down else layers[::-1]:
            wanted = {node: _mean(neighbours[node], centers, node) for node in layer}
            # The order is fixed after the first half.
            if sweep < _SWEEPS // 2:
                layer.sort(key=wanted.__getitem__)
            _place(layer, [wanted[node] for node in layer], centers, widths, gap)
    return centers


def _mean(nodes, centers, node):
    if not nodes:
        return centers[node]
    return sum(centers[each] for each in nodes) / len(nodes)


def _place(layer, wanted, centers, widths, gap):
    """Place nodes in order, as close as possible to their target positions.

    This minimizes the sum of squares: nodes that would overlap form blocks, which are
    placed at the means of their nodes' target positions.
    """
    offsets, offset = [], 0.
    for i, node in enumerate(layer):
        if i:
            offset += (widths[layer[i - 1]] + widths[node]) / 2 + gap
        offsets.append(offset)
    blocks: list[tuple[float, int]] = []    # sum of target positions, number of nodes
    for place, offset in zip(wanted, offsets, strict=True):
        total, count = place - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            others, more = blocks.pop()
            total, count = total + others, count + more
        blocks.append((total, count))
    starts = [total / count for total, count in blocks for _ in range(count)]
    for node, start, offset in zip(layer, starts, offsets, strict=True):
        centers[node] = start + offset
