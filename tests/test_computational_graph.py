import re
import xml.etree.ElementTree

import numpy as np
import pytest

from chainer_fast import Variable
from chainer_fast import functions as F
from chainer_fast.computational_graph import (
    ComputationalGraph,
    DotNode,
    build_computational_graph,
)


def variable(name=None):
    return Variable(np.ones((2, 3), 'f'), name=name)


class TestBuild:

    def test_diamond(self):
        x = variable()
        h = F.relu(x)
        y = h + x
        relu, add = h.creator_node, y.creator_node
        graph = build_computational_graph([y])
        assert set(graph.nodes) == {x.node, h.node, y.node, relu, add}
        assert set(graph.edges) == {
            (x.node, relu), (relu, h.node), (h.node, add), (x.node, add),
            (add, y.node)}
        assert len(graph.nodes) == len(graph.edges) == 5

    def test_variable_used_twice(self):
        x = variable()
        assert len(build_computational_graph([x * x]).edges) == 2

    @pytest.mark.parametrize('get', [
        lambda y: y, lambda y: [y], lambda y: (y, y), lambda y: y.node,
        lambda y: iter([y.node])])
    def test_outputs(self, get):
        y = F.relu(variable())
        graph = build_computational_graph(get(y))
        assert len(graph.nodes) == 3

    def test_function_as_output(self):
        x = variable()
        relu = F.relu(x).creator_node
        graph = build_computational_graph(relu)
        assert graph.nodes == [relu, x.node]

    def test_several_outputs(self):
        x = variable()
        a, b = F.relu(x), F.relu(x)
        assert len(build_computational_graph([a, b]).nodes) == 5
        assert build_computational_graph([x]).edges == []
        assert build_computational_graph([]).nodes == []

    @pytest.mark.parametrize('outputs', [np.ones(2), [np.ones(2)], [3], 3, None])
    def test_other_objects(self, outputs):
        with pytest.raises(TypeError):
            build_computational_graph(outputs)

    def test_remove_split(self):
        with pytest.raises(ValueError, match='remove_split'):
            build_computational_graph([variable()], remove_split=False)

    def test_deep_graph(self):
        y = variable()
        for _ in range(20000):
            y = F.identity(y)
        assert len(build_computational_graph([y], remove_variable=True).dump()) > 20000


class TestDump:

    def setup_method(self):
        self.x = variable('x')
        self.h = F.relu(self.x)
        self.y = self.h + self.x

    def dump(self, **options):
        return build_computational_graph([self.y], **options).dump()

    def test_statements(self):
        text = self.dump()
        assert text.startswith('digraph graphname{rankdir=TB;')
        assert text.endswith(';}')
        ids = set(re.findall(r'(\d+) \[', text))
        edges = re.findall(r'(\d+) -> (\d+);', text)
        assert len(ids) == len(edges) == 5
        assert {i for edge in edges for i in edge} == ids
        assert ('%d [label="x: (2, 3), float32",shape="octagon",fillcolor="#E0E0E0",'
                'style="filled"];' % id(self.x.node)) in text
        assert ('%d [label="ReLU",shape="record",fillcolor="#6495ED",style="filled"];'
                % id(self.h.creator_node)) in text

    def test_names(self):
        assert 'x:' not in self.dump(show_name=False)
        self.x.name = 'say "x"'
        assert r'label="say \"x\": (2, 3)' in self.dump()

    def test_styles(self):
        text = self.dump(
            variable_style={'shape': 'star'}, function_style={'label': 'f'})
        assert text.count('shape="star"') == 3
        assert text.count('label="f",shape="box"') == 2
        assert 'fillcolor' not in text

    def test_remove_variable(self):
        text = self.dump(remove_variable=True)
        assert re.findall(r'(\d+) -> (\d+);', text) == [
            (str(id(self.h.creator_node)), str(id(self.y.creator_node)))]
        assert len(re.findall(r'\[', text)) == 2

    @pytest.mark.parametrize('rankdir', ['TB', 'BT', 'LR', 'RL'])
    def test_rankdir(self, rankdir):
        assert 'rankdir=%s;' % rankdir in self.dump(rankdir=rankdir)

    def test_unknown_options(self):
        with pytest.raises(ValueError, match='XY'):
            ComputationalGraph([], [], rankdir='XY')
        with pytest.raises(NotImplementedError, match='png'):
            ComputationalGraph([], []).dump('png')
        assert ComputationalGraph([], []).dump() == 'digraph graphname{rankdir=TB;}'

    def test_same_text_each_time(self):
        assert self.dump() == self.dump()


def test_dot_node():
    x = variable('x')
    node = DotNode(x.node, {'color': 'red'})
    assert node.attribute == {
        'label': 'x: (2, 3), float32', 'shape': 'oval', 'color': 'red'}
    assert node.label == (
        '%d [label="x: (2, 3), float32",shape="oval",color="red"];' % node.id_)
    assert DotNode(x.node, show_name=False).attribute['label'] == '(2, 3), float32'
    assert DotNode(F.relu(x).creator_node).attribute['shape'] == 'box'
    with pytest.raises(AssertionError, match='int'):
        DotNode(3)


class TestPicture:

    def draw(self, y, **options):
        graph = build_computational_graph([y], **options)
        return graph, xml.etree.ElementTree.fromstring(graph.dump('svg'))

    def texts(self, root):
        return sorted(text.text for text in root.iter('{http://www.w3.org/2000/svg}text'))

    def test_labels(self):
        x = variable('<x>')
        graph, root = self.draw(F.relu(x) + x)
        assert self.texts(root) == [
            '(2, 3), float32', '(2, 3), float32', '<x>: (2, 3), float32', 'ReLU',
            '_ + _']
        assert graph._repr_svg_() == graph.dump('svg')

    def test_options(self):
        x = variable()
        _, root = self.draw(F.relu(F.relu(x)), remove_variable=True, function_style={
            'label': 'f', 'shape': 'oval', 'fillcolor': 'red'})
        assert self.texts(root) == ['f', 'f']
        assert {rect.get('fill') for rect in root.iter(
            '{http://www.w3.org/2000/svg}rect')} == {'red'}

    def test_notebooks_show_no_large_graph(self):
        y = variable()
        for _ in range(149):
            y = F.identity(y)
        assert build_computational_graph([y])._repr_svg_() is not None
        assert build_computational_graph([F.relu(y)])._repr_svg_() is None
