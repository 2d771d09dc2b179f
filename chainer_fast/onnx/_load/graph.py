"""The parts of a graph by purpose: parameters, statistics, constants and inputs."""
import collections
import keyword
import re

from chainer_fast.onnx._load import reading
from chainer_fast.onnx._load.node import Node, Unsupported
from chainer_fast.onnx._load.operators.constants import value_of
from chainer_fast.onnx._load.table import OPERATORS

#: The operator set versions that the table supports.
MINIMUM_OPSET, MAXIMUM_OPSET = 7, 28

#: An input of a graph: its dtype, and its number of axes or None.
Input = collections.namedtuple('Input', 'name dtype ndim')


def check_opset(model, name):
    """Return the operator set version of a model."""
    versions = [each.version for each in model.opset_import
                if each.domain in ('', 'ai.onnx')]
    if not versions:
        raise NotImplementedError(
            '%s does not import the operator set of ONNX; its domains are %s' % (
                name, [each.domain for each in model.opset_import]))
    if not MINIMUM_OPSET <= versions[0] <= MAXIMUM_OPSET:
        raise NotImplementedError(
            '%s uses opset %d; supported are %d to %d. onnx.version_converter changes '
            'the version of a model' % (
                name, versions[0], MINIMUM_OPSET, MAXIMUM_OPSET))
    return versions[0]


class Graph:
    """The parts of a graph, by purpose.

    Parameters
    ----------
    model : onnx.ModelProto
        The model. The data of its tensors are deleted.
    name : str
        Its name for messages.
    trainable : callable or None
        See :func:`chainer_fast.onnx.load`.

    Attributes
    ----------
    opset : int
        Operator set version.
    inputs : list of Input
        Inputs of each call.
    outputs : list of str
        Names of the results.
    nodes : list of onnx.NodeProto
        Nodes in the order of computation, without constants.
    parameters, statistics : dict
        Trainable initializers, and moments of batch normalizations, by name.
    known : dict
        All other initializers, and constants, by name.

    Raises
    ------
    NotImplementedError
        If something is not supported; the message lists all such nodes.
    TypeError
        If a tensor has a type that arrays do not support.
    ValueError
        If the graph is invalid.
    """

    def __init__(self, model, name, trainable):
        self.opset = check_opset(model, name)
        graph = model.graph
        if graph.sparse_initializer:
            raise NotImplementedError('%s has sparse initializers' % name)
        initializers = {}
        for tensor in graph.initializer:
            initializers[tensor.name] = reading.to_array(tensor)
            tensor.ClearField('raw_data')       # avoids a second copy in memory
        self.inputs = [_input(each) for each in graph.input
                       if each.name not in initializers]
        self.outputs = [each.name for each in graph.output]
        self._check_names(graph, set(initializers), name)
        self.nodes, constants, problems = [], {}, {}
        for i, proto in enumerate(graph.node):
            try:
                if proto.domain not in ('', 'ai.onnx'):
                    raise Unsupported('its domain %r is not supported' % proto.domain)
                if proto.op_type == 'Constant':
                    node = Node(proto, self.opset, {})
                    constants[proto.output[0]] = value_of(node)
                    node.check_all_read()
                elif proto.op_type in OPERATORS:
                    self.nodes.append(proto)
                else:
                    raise Unsupported('Chainer has no such operator')
            except Unsupported as e:
                problems[i] = str(e)
        self._sort(model, initializers, constants, trainable)
        for i, proto in enumerate(graph.node):
            if i not in problems and proto.op_type != 'Constant':
                problem = self._problem(proto)
                if problem is not None:
                    problems[i] = problem
        if problems:
            raise NotImplementedError(
                '%s has nodes that are not supported:\n%s' % (name, '\n'.join(
                    ['  %s, opset %d: %s' % (
                        _describe(graph.node[i]), self.opset, problems[i])
                     for i in sorted(problems)])))

    def _check_names(self, graph, initializers, name):
        made = initializers | {each.name for each in self.inputs} | {''}
        for node in graph.node:
            for each in node.input:
                if each not in made:
                    raise ValueError(
                        '%s is invalid: no previous node computes the input %r of the '
                        'node %s' % (name, each, _describe(node)))
            for each in node.output:
                if each and each in made:
                    raise ValueError(
                        '%s is invalid: the output %r of the node %s is computed '
                        'twice' % (
                            name, each, _describe(node)))
            made.update(node.output)
        missing = [each for each in self.outputs if each not in made or not each]
        if missing or not self.outputs:
            raise ValueError('%s is invalid: no node computes the outputs %s' % (
                name, missing) if missing else '%s has no outputs' % name)

    def _sort(self, model, initializers, constants, trainable):
        statistics, data = set(), set(self.outputs)
        for proto in self.nodes:
            try:
                node = Node(proto, self.opset, initializers)
            except Unsupported:
                continue    # reported with all others
            for i, each in enumerate(node.inputs):
                if node.type == 'BatchNormalization' and i > 2:
                    statistics.add(each)
                elif not _says_how(node, i):
                    data.add(each)
        # Chainer's own files identify parameters by name; in other files, 0-dimensional
        # arrays are mostly constants of the program: an exponent, a small addend.
        of_chainer = model.producer_name == 'Chainer'
        trainable = trainable or (
            (lambda each, array: each.startswith('param_')) if of_chainer
            else (lambda each, array: array.ndim > 0))
        self.parameters, self.statistics, self.known = {}, {}, dict(constants)
        for each, array in initializers.items():
            if each in statistics:
                self.statistics[each] = array
            elif array.dtype.kind == 'f' and each in data and trainable(each, array):
                self.parameters[each] = array
            else:
                self.known[each] = array
        self._prefix = 'param_' if of_chainer else ''

    def _problem(self, proto):
        """Return why a node cannot be computed, or None if it can."""
        try:
            node = Node(proto, self.opset, self.known)
            entry = OPERATORS[node.type]
            entry.build(node)
            node.check_all_read()
            if len(node.outputs) > entry.outputs:
                raise Unsupported('it has %d outputs; supported are %s' % (
                    len(node.outputs), entry.outputs))
        except Unsupported as e:
            return str(e)
        except (AttributeError, IndexError, TypeError, ValueError) as e:
            return 'it is invalid: %s' % e
        return None

    def attribute_name(self, name, taken):
        """Return the name of an attribute for an initializer.

        Parameters
        ----------
        name : str
            Its name.
        taken : callable
            Returns whether an attribute of a name already exists.
        """
        cleansed = re.sub(r'\W', '_', name.removeprefix(self._prefix))
        if not cleansed.isidentifier() or keyword.iskeyword(cleansed):
            cleansed = '_' + cleansed
        free, k = cleansed, 2
        while taken(free):
            free, k = '%s_%d' % (cleansed, k), k + 1
        return free


def _says_how(node, i):
    """Return whether an input only specifies a computation, and is not trainable."""
    # 0-dimensional operands are treated as numbers there, but only constants.
    return node.type not in ('Add', 'Sub', 'Mul', 'Div', 'Pow') and (
        i in OPERATORS[node.type].host(node))


def _input(value):
    kind = value.type.WhichOneof('value')
    if kind not in ('tensor_type', None):
        raise NotImplementedError(
            'the input %r is a %s; supported are tensors' % (
                value.name, kind.removesuffix('_type')))
    tensor = value.type.tensor_type
    dtype = reading.dtype_of(tensor.elem_type)
    if kind and dtype is None:
        raise NotImplementedError('arrays do not support the type %s of the input '
                                  '%r' % (
            reading.type_name(tensor.elem_type), value.name))
    ndim = len(tensor.shape.dim) if tensor.HasField('shape') else None
    return Input(value.name, dtype, ndim)


def _describe(node):
    name = '%r' % node.name if node.name else 'that makes %s' % ', '.join(
        [repr(each) for each in node.output])
    return '%s %s' % (node.op_type, name)

