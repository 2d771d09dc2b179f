"""Drawing computational graphs."""
from __future__ import annotations

from typing import Any

from chainer_fast import function_node, variable
from chainer_fast._help.display import graph

_var_style = {'shape': 'octagon', 'fillcolor': '#E0E0E0', 'style': 'filled'}
_func_style = {'shape': 'record', 'fillcolor': '#6495ED', 'style': 'filled'}

# A picture of a larger graph would be unreadable in a notebook.
_MOST_SHOWN = 300

_RANKDIRS = ('TB', 'BT', 'LR', 'RL')


class DotNode:
    """A node of a graph in the DOT language.

    Parameters
    ----------
    node : chainer_fast.VariableNode or chainer_fast.FunctionNode
        The node of the computational graph.
    attribute : dict or None
        Attributes of the drawing, which override the defaults.
    show_name : bool
        Show the name of a variable, if it has one, before its shape and dtype.

    Attributes
    ----------
    node
        The node that was passed.
    id_ : int
        Identifier in the DOT source.
    attribute : dict of str
        All attributes of the drawing.
    """

    def __init__(
            self, node: Any, attribute: Any = None,
            show_name: bool = True) -> None:
        is_variable = isinstance(node, variable.VariableNode)
        assert is_variable or isinstance(node, function_node.FunctionNode), (
            'a node of a graph is a VariableNode or a FunctionNode, not %s'
            % type(node))
        label = node.label
        if is_variable and show_name and node.name is not None:
            label = '%s: %s' % (node.name, label)
        self.node = node
        self.id_: int = id(node)
        self.attribute: dict[str, Any] = {
            'label': label, 'shape': 'oval' if is_variable else 'box',
            **(attribute or {})}

    @property
    def label(self) -> str:
        """The node's statement in the DOT language."""
        attributes = ','.join(
            '%s="%s"' % (key, str(value).replace('"', r'\"'))
            for key, value in self.attribute.items())
        return '%d [%s];' % (self.id_, attributes)


class ComputationalGraph:
    """A computational graph that can be drawn.

    Notebooks show graphs of up to 300 nodes.

    Parameters
    ----------
    nodes : list
        Variable nodes and function nodes.
    edges : list of tuple
        Pairs of nodes, from the first to the second.
    variable_style, function_style : dict or 'default'
        Attributes of the nodes in the DOT language.
    rankdir : {'TB', 'BT', 'LR', 'RL'}
        Direction of the drawing, ``'TB'`` from top to bottom.
    remove_variable : bool
        Whether to draw functions only.
    show_name : bool
        Whether to show the names of variables.

    Raises
    ------
    ValueError
        If ``rankdir`` is unknown.

    See Also
    --------
    chainer_fast.computational_graph.build_computational_graph

    Examples
    --------
    See :func:`build_computational_graph`.
    """

    nodes: list[Any]
    edges: list[tuple[Any, ...]]
    variable_style: Any
    function_style: Any

    def __init__(
            self, nodes: list[Any], edges: list[tuple[Any, ...]],
            variable_style: Any = 'default', function_style: Any = 'default',
            rankdir: str = 'TB', remove_variable: bool = False,
            show_name: bool = True) -> None:
        if rankdir not in _RANKDIRS:
            raise ValueError(
                'rankdir must be one of %s, not %r' % (', '.join(_RANKDIRS), rankdir))
        styles = [
            default if style == 'default' else style for style, default in
            ((variable_style, _var_style), (function_style, _func_style))]
        self.nodes, self.edges = nodes, edges
        self.variable_style, self.function_style = styles
        self.rankdir = rankdir
        self.remove_variable = remove_variable
        self.show_name = show_name

    def _parts(self):
        """Return the nodes to draw, with their attributes, and the edges."""
        nodes, edges = self.nodes, self.edges
        if self.remove_variable:
            nodes, edges = _skip_variable(nodes, edges)
        return [
            DotNode(node, self.variable_style if isinstance(node, variable.VariableNode)
                    else self.function_style, self.show_name)
            for node in nodes], edges

    def _to_dot(self):
        nodes, edges = self._parts()
        statements = ['rankdir=%s;' % self.rankdir, *[node.label for node in nodes]]
        statements += ['%d -> %d;' % (id(tail), id(head)) for tail, head in edges]
        return 'digraph graphname{%s}' % ''.join(statements)

    def _to_svg(self):
        nodes, edges = self._parts()
        places = {node.id_: i for i, node in enumerate(nodes)}
        return graph.to_svg([
            graph.Node(*[str(node.attribute.get(key, default)) for key, default in (
                ('label', ''), ('shape', 'box'), ('fillcolor', '#fff'))])
            for node in nodes],
            [(places[id(tail)], places[id(head)]) for tail, head in edges],
            self.rankdir)

    def _repr_svg_(self):
        return self._to_svg() if len(self.nodes) <= _MOST_SHOWN else None

    def dump(self, format: str = 'dot') -> str:
        """Return the graph as text.

        Parameters
        ----------
        format : {'dot', 'svg'}
            The DOT language, which Graphviz draws: ``dot -Tpng``, for example; or a
            picture, which needs no Graphviz. The picture honors the node attributes
            ``label``, ``shape`` (octagon, oval, box) and ``fillcolor``. Chainer does
            not support ``'svg'``.

        Returns
        -------
        str
            The text.

        Raises
        ------
        NotImplementedError
            If ``format`` is neither of the two.
        """
        if format not in ('dot', 'svg'):
            raise NotImplementedError(
                "format must be 'dot' or 'svg', not %r; Graphviz converts the former "
                "to images" % (format,))
        return self._to_dot() if format == 'dot' else self._to_svg()


def _skip_variable(nodes, edges):
    """Return the functions of a graph, with edges in place of the variables."""
    functions = [x for x in nodes if not isinstance(x, variable.VariableNode)]
    makers = {head: tail for tail, head in edges
              if isinstance(head, variable.VariableNode)}
    joined = {(makers[tail], head): None for tail, head in edges if tail in makers}
    return functions, list(joined)


def build_computational_graph(
        outputs: Any, remove_split: bool = True,
        variable_style: dict[str, str] | str = 'default',
        function_style: dict[str, str] | str = 'default', rankdir: str = 'TB',
        remove_variable: bool = False, show_name: bool = True) -> ComputationalGraph:
    """Collect the graph that computed some outputs.

    Parameters
    ----------
    outputs : chainer_fast.Variable, node, or iterable of them
        Variables and nodes at which the graph ends. A function node among them is part
        of the graph, but its outputs are not.
    remove_split : bool
        Must be true; kept for old code.
    variable_style, function_style : dict or 'default'
        Attributes of the nodes in the DOT language.
    rankdir : {'TB', 'BT', 'LR', 'RL'}
        Direction of the drawing, ``'TB'`` from top to bottom.
    remove_variable : bool
        Whether to draw functions only.
    show_name : bool
        Whether to show the names of variables.

    Returns
    -------
    ComputationalGraph
        The graph.

    Raises
    ------
    TypeError
        If an output is neither a variable nor a node.
    ValueError
        If ``remove_split`` is false, or ``rankdir`` unknown.

    Examples
    --------
    >>> x = chainer.Variable(np.ones(2, np.float32), name='x')
    >>> graph = chainer.computational_graph.build_computational_graph([F.sum(x * 2)])
    >>> len(graph.nodes), len(graph.edges)
    (5, 4)
    >>> with open('sum.dot', 'w') as file:
    ...     _ = file.write(graph.dump())
    >>> with open('sum.svg', 'w') as file:
    ...     _ = file.write(graph.dump('svg'))
    """
    if not remove_split:
        raise ValueError('remove_split must be true: variables are never split')
    kinds = (variable.Variable, variable.VariableNode, function_node.FunctionNode)
    if isinstance(outputs, kinds):
        outputs = [outputs]

    pending = []
    for output in outputs:
        if not isinstance(output, kinds):
            raise TypeError(
                'outputs must be of Variable, VariableNode or FunctionNode, not %s'
                % type(output))
        pending.append(
            output.node if isinstance(output, variable.Variable) else output)

    # Dictionaries, not sets: the order is the same in every run.
    nodes = dict.fromkeys(pending)
    edges = {}
    while pending:
        node = pending.pop()
        if isinstance(node, variable.VariableNode):
            sources = () if node.creator_node is None else (node.creator_node,)
        else:
            sources = node.inputs
        for source in sources:
            edges[source, node] = None
            if source not in nodes:
                nodes[source] = None
                pending.append(source)
    return ComputationalGraph(
        list(nodes), list(edges), variable_style, function_style, rankdir,
        remove_variable, show_name)
