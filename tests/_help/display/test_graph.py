"""Places of the nodes of graphs, and pictures of them."""
import itertools
import random
import re
import xml.etree.ElementTree

import pytest

from chainer_fast._help.display import graph
from chainer_fast._help.display.layout import layout

SVG = '{http://www.w3.org/2000/svg}'


def nodes_of(n, label='node'):
    return [graph.Node(label, 'box', '#fff')] * n


def read(source):
    """Return the sizes of a picture, and what it draws of each kind."""
    root = xml.etree.ElementTree.fromstring(source)
    size = [float(root.get(name)) for name in ('width', 'height')]
    return size, {kind: list(root.iter(SVG + kind))
                  for kind in ('path', 'rect', 'polygon', 'text')}


def test_rows():
    # The source 4 is used late, and stands near its use.
    found = layout([1] * 6, [(0, 1), (1, 2), (0, 2), (2, 3), (4, 3)], 1)
    assert found.rows == [0, 1, 2, 3, 2, 0]
    assert [[row for row, _ in way] for way in found.bends] == [[], [], [1], [], []]


def test_chain_is_straight():
    found = layout([5, 3, 9], [(0, 1), (1, 2)], 2)
    assert len(set(found.centers)) == 1


def test_children_are_around_their_parent():
    found = layout([4] * 4, [(0, 1), (0, 2), (0, 3)], 2)
    assert sorted(found.centers[1:]) == pytest.approx(
        [found.centers[0] + d for d in (-6, 0, 6)])


def test_edges_do_not_cross_without_need():
    # A complete binary tree whose nodes come in a random order.
    edges = [((k - 1) // 2, k) for k in range(1, 31)]
    names = list(range(31))
    random.Random(0).shuffle(names)
    found = layout([4] * 31, [(names[a], names[b]) for a, b in edges], 1)
    for (a, b), (c, d) in itertools.combinations(edges, 2):
        if found.rows[names[a]] == found.rows[names[c]]:
            tails = found.centers[names[a]] - found.centers[names[c]]
            heads = found.centers[names[b]] - found.centers[names[d]]
            assert tails * heads >= 0


@pytest.mark.parametrize('seed', range(20))
def test_nodes_of_a_row_do_not_overlap(seed):
    draw = random.Random(seed)
    n = draw.randrange(1, 40)
    edges = [(a, b) for a, b in itertools.combinations(range(n), 2)
             if draw.random() < 3 / n]
    widths = [draw.randrange(1, 20) for _ in range(n)]
    found = layout(widths, edges, 2)
    places = [(row, center - width / 2, center + width / 2) for row, center, width
              in zip(found.rows, found.centers, widths, strict=True)]
    places += [(row, center, center) for way in found.bends for row, center in way]
    for (row, _, end), (next_row, start, _) in itertools.pairwise(sorted(places)):
        assert row != next_row or start - end >= 2 - 1e-6
    for a, b in edges:
        assert found.rows[a] < found.rows[b]


@pytest.mark.parametrize('rankdir, axis, sign', [
    ('TB', 1, 1), ('BT', 1, -1), ('LR', 0, 1), ('RL', 0, -1)])
def test_direction(rankdir, axis, sign):
    size, drawn = read(graph.to_svg(nodes_of(3), [(0, 1), (1, 2), (0, 2)], rankdir))
    places = [[float(text.get(name)) for name in 'xy'] for text in drawn['text']]
    along = [sign * place[axis] for place in places]
    assert along == sorted(along) and len(set(along)) == 3
    # All of it is inside, and arrows end where nodes begin.
    for path in drawn['path']:
        numbers = [float(x) for x in re.findall(r'-?[\d.]+', path.get('d'))]
        for x, y in zip(numbers[::2], numbers[1::2], strict=True):
            assert 0 <= x <= size[0] and 0 <= y <= size[1]
    assert [text.text for text in drawn['text']] == ['node'] * 3


def test_shapes_and_markup():
    nodes = [graph.Node('<a> & "b"', 'octagon', '#E0E0E0'),
             graph.Node('oval', 'oval', '"/><script'), graph.Node('', 'record', 'red')]
    size, drawn = read(graph.to_svg(nodes, []))
    assert [text.text for text in drawn['text']] == ['<a> & "b"', 'oval', None]
    assert len(drawn['polygon']) == 1 and not drawn['path']
    assert [float(rect.get('rx')) for rect in drawn['rect']] == [13, 2]
    assert drawn['rect'][0].get('fill') == '"/><script'


def test_empty_graph():
    assert read(graph.to_svg([], []))[1]['path'] == []


def test_deep_graph():
    n = 5000
    drawn = read(graph.to_svg(nodes_of(n), list(itertools.pairwise(range(n)))))[1]
    assert len(drawn['rect']) == n
