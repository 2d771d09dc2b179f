"""What the parts of a graph are for: parameters, statistics, constants and inputs."""
import collections
import keyword
import re

from chainer_fast.onnx._load import reading
from chainer_fast.onnx._load.node import Node, Unsupported
from chainer_fast.onnx._load.operators.constants import value_of
from chainer_fast.onnx._load.table import OPERATORS

#: The versions of operators that the table knows.
MINIMUM_OPSET, MAXIMUM_OPSET = 7, 28

#: An input of a graph: its dtype, and its number of axes or None.
Input = collections.namedtuple('Input', 'name dtype ndim')


def check_opset(model, name):
    """Return the version of the operators of a model."""
    versions = [each.version for each in model.opset_import
                if each.domain in ('', 'ai.onnx')]
    if not versions:
        raise NotImplementedError(
            '%s has no operators of ONNX itself; its domains are %s' % (
                name, [each.domain for each in model.opset_import]))
    if not MINIMUM_OPSET <= versions[0] <= MAXIMUM_OPSET:
        raise NotImplementedError(
            '%s has the operators of opset %d; supported are those from %d to %d. '
            'onnx.version_converter changes the version of a model' % (
                name, versions[0], MINIMUM_OPSET, MAXIMUM_OPSET))
    return versions[0]


class Graph:
    """The parts of a graph by their purpose.

    Parameters
    ----------
    model : onnx.ModelProto
        The model.
    name : str
        What to call it in messages.

    Attributes
    ----------
    opset : int
        Version of the operators.
    inputs : list of Input
        What is given at each call.
    outputs : list of str
        Names of the results.
    nodes : list of onnx.NodeProto
        What is computed, in this order; constants are left out.
    parameters, statistics : dict
        Initializers to be trained, and moments of batch normalizations, by name.
    known : dict
        All other initializers, and constants, by name.

    Raises
    ------
    NotImplementedError
        If something is not supported; all such nodes are named.
    TypeError
        If a tensor has a type that no array has.
    ValueError
        If the graph is broken.
    """

    def __init__(self, model, name):
        self.opset = check_opset(model, name)
        graph = model.graph
        if graph.sparse_initializer:
            raise NotImplementedError('%s has sparse initializers' % name)
        initializers = {t.name: reading.to_array(t) for t in graph.initializer}
        self.inputs = [_input(each) for each in graph.input
                       if each.name not in initializers]
        self.outputs = [each.name for each in graph.output]
        self.nodes, constants, problems = [], {}, []
        for proto in graph.node:
            problem = None
            try:
                if proto.domain not in ('', 'ai.onnx'):
                    problem = 'its domain %r is not supported' % proto.domain
                elif proto.op_type == 'Constant':
                    node = Node(proto, self.opset, {})
                    constants[proto.output[0]] = value_of(node)
                    node.check_all_read()
                else:
                    self.nodes.append(proto)
                    if proto.op_type not in OPERATORS:
                        problem = 'there is no such operator in Chainer'
            except Unsupported as e:
                problem = str(e)
            if problem is not None:
                problems.append((proto, problem))
        self._check_names(graph, set(initializers), name)
        if not problems:
            self._sort(model, initializers, constants)
            problems = self._try_all()
        if problems:
            raise NotImplementedError(_list(problems, name, self.opset))

    def _check_names(self, graph, initializers, name):
        made = initializers | {each.name for each in self.inputs} | {''}
        for node in graph.node:
            for each in node.input:
                if each not in made:
                    raise ValueError(
                        '%s is broken: the input %r of the node %s is made by nothing '
                        'before it' % (name, each, _describe(node)))
            for each in node.output:
                if each and each in made:
                    raise ValueError(
                        '%s is broken: the output %r of the node %s is made twice' % (
                            name, each, _describe(node)))
            made.update(node.output)
        missing = [each for each in self.outputs if each not in made or not each]
        if missing or not self.outputs:
            raise ValueError('%s is broken: nothing makes the outputs %s' % (
                name, missing) if missing else '%s has no outputs' % name)

    def _sort(self, model, initializers, constants):
        statistics, data, exponents = set(), set(self.outputs), set()
        for proto in self.nodes:
            node = Node(proto, self.opset, initializers)
            host = OPERATORS[node.type].host(node)
            for i, each in enumerate(node.inputs):
                if node.type == 'BatchNormalization' and i > 2:
                    statistics.add(each)
                elif node.type == 'Pow' and (i, node.known(i)) == (1, None):
                    data.add(each)
                elif node.type == 'Pow' and i == 1 and node.known(1).ndim == 0:
                    exponents.add(each)
                elif i not in host or node.type in _SCALARS_ARE_DATA:
                    data.add(each)
        # Chainer's own files tell parameters by their names.
        of_chainer = model.producer_name == 'Chainer'
        self.parameters, self.statistics, self.known = {}, {}, dict(constants)
        for each, array in initializers.items():
            if each in statistics:
                self.statistics[each] = array
            elif array.dtype.kind == 'f' and each in data and (
                    not of_chainer or each.startswith('param_')):
                self.parameters[each] = array
            else:
                self.known[each] = array
        self._prefix = 'param_' if of_chainer else ''

    def _try_all(self):
        """Build all nodes, and return those that cannot be, with the reasons."""
        problems = []
        for proto in self.nodes:
            try:
                node = Node(proto, self.opset, self.known)
                entry = OPERATORS[node.type]
                entry.build(node)
                node.check_all_read()
                if len(node.outputs) > entry.outputs:
                    raise Unsupported('it has %d outputs; supported are %s' % (
                        len(node.outputs), entry.outputs))
            except Unsupported as e:
                problems.append((proto, str(e)))
            except (IndexError, TypeError, ValueError, AttributeError) as e:
                problems.append((proto, 'it is broken: %s' % e))
        return problems

    def attribute_name(self, name, taken):
        """Return a name of an attribute for an initializer.

        Parameters
        ----------
        name : str
            Its name.
        taken : callable
            Tells whether an attribute of a name is there already.
        """
        cleansed = re.sub(r'\W', '_', name.removeprefix(self._prefix))
        if not cleansed.isidentifier() or keyword.iskeyword(cleansed):
            cleansed = '_' + cleansed
        free, k = cleansed, 2
        while taken(free):
            free, k = '%s_%d' % (cleansed, k), k + 1
        return free


# Their operands without axes are numbers only if they are constants.
_SCALARS_ARE_DATA = 'Add', 'Sub', 'Mul', 'Div', 'Pow'


def _input(value):
    kind = value.type.WhichOneof('value')
    if kind not in ('tensor_type', None):
        raise NotImplementedError(
            'the input %r is a %s; supported are tensors' % (
                value.name, kind.removesuffix('_type')))
    tensor = value.type.tensor_type
    dtype = reading.dtype_of(tensor.elem_type)
    if kind and dtype is None:
        raise NotImplementedError('no array can have the type %s of the input %r' % (
            reading.type_name(tensor.elem_type), value.name))
    ndim = len(tensor.shape.dim) if tensor.HasField('shape') else None
    return Input(value.name, dtype, ndim)


def _describe(node):
    name = '%r' % node.name if node.name else 'that makes %s' % ', '.join(
        [repr(each) for each in node.output])
    return '%s %s' % (node.op_type, name)


def _list(problems, name, opset):
    lines = ['  %s, opset %d: %s' % (_describe(node), opset, problem)
             for node, problem in problems]
    return '%s has nodes that are not supported:\n%s' % (name, '\n'.join(lines))
