"""The order in which the values of a graph are computed and released."""
import collections

import numpy

from chainer_fast.onnx._library import onnx
from chainer_fast.onnx._load.node import Node
from chainer_fast.onnx._load.table import OPERATORS, host, raw
from chainer_fast.variable import Variable, as_variable

#: Picklable description of a program. ``attributes`` maps names of values to attributes
#: of the chain that hold them; ``nodes`` are serialized.
Description = collections.namedtuple(
    'Description', 'opset nodes inputs outputs known attributes')

# Location or source of a value.
_Known = collections.namedtuple('_Known', 'name')
_Attribute = collections.namedtuple('_Attribute', 'name')
_Value = collections.namedtuple('_Value', 'name')


class _Step:
    """A node, with the sources of its inputs.

    Attributes
    ----------
    fetch, send : list of int
        Positions of inputs to copy to host memory, and to the device.
    """

    def __init__(self, node):
        entry = OPERATORS[node.type]
        self.node, self.compute = node, entry.build(node)
        self.host, self.describes = entry.host(node), entry.describes
        self.sources, self.fetch, self.send = [], [], []


class Program:
    """Computes the values of a graph for a chain.

    Constants, and values computed only from them, are in host memory, where shapes
    and indices are needed. Constants that are combined with data are attributes of
    the chain, and move with it.

    Parameters
    ----------
    description : Description
        The graph, without attributes for constants that need one.
    new_attribute : callable or None
        Function that makes an attribute for a constant and returns its name.
    """

    def __init__(self, description, new_attribute=None):
        self._attributes = dict(description.attributes)
        self._new_attribute = new_attribute
        self._description = description._replace(attributes=self._attributes)
        self._steps = []
        self._on_host = set()
        for content in description.nodes:
            proto = onnx.NodeProto.FromString(content)
            self._add(Node(proto, description.opset, description.known))
        self._new_attribute = None
        self._makers = {
            name: step for step in self._steps for name in step.node.outputs if name}
        self._plans = {}

    def __reduce__(self):
        return Program, (self._description,)

    def __deepcopy__(self, memo):
        return self     # it is immutable

    @property
    def description(self):
        """Arguments to make the program again."""
        return self._description

    def _add(self, node):
        known, step = self._description.known, _Step(node)
        data = [name for i, name in enumerate(node.inputs)
                if name and i not in step.host]
        on_host = all([name in known or name in self._on_host for name in data])
        for i, name in enumerate(node.inputs):
            step.sources.append(self._source(name, on_host or i in step.host))
            if i in step.host:
                if name and name not in known:
                    step.fetch.append(i)
            elif name in self._on_host and not on_host and not step.describes:
                step.send.append(i)
        if on_host or step.describes:
            self._on_host.update(node.outputs)
        self._steps.append(step)

    def _source(self, name, on_host):
        if not name:
            return None
        if name in self._description.known:
            if on_host:
                return _Known(name)
            if name not in self._attributes:
                self._attributes[name] = self._new_attribute(name)
        return _Attribute(self._attributes[name]) if name in self._attributes else (
            _Value(name))

    def has(self, name):
        """Return whether a value with a name exists."""
        return (name in self._makers or name in self._attributes
                or name in self._description.known
                or any([name == each.name for each in self._description.inputs]))

    def _output(self, name):
        if name in self._attributes:
            return _Attribute(self._attributes[name])
        return (_Known if name in self._description.known else _Value)(name)

    def _plan(self, names):
        """Steps that compute some values, with slots for all values."""
        outputs = [self._output(name) for name in names]
        wanted, steps = set(outputs), []
        for step in reversed(self._steps):
            if any([_Value(name) in wanted for name in step.node.outputs if name]):
                wanted.update(step.sources)
                steps.insert(0, step)
        places = {source: i for i, source in enumerate(wanted - {None})}
        for step in steps:
            for name in step.node.outputs:
                if name:
                    places.setdefault(_Value(name), len(places))
        kept = {places[each] for each in outputs}
        lines = []
        for step in reversed(steps):
            ins = [None if each is None else places[each] for each in step.sources]
            outs = [places[_Value(each)] if each else None
                    for each in step.node.outputs]
            last = {i for i in ins + outs if i is not None} - kept
            kept |= last
            lines.insert(0, (step, ins, outs, last.difference(outs),
                             last.intersection(outs)))
        return places, lines, [places[each] for each in outputs]

    def run(self, chain, inputs, names):
        """Compute some values.

        Parameters
        ----------
        chain : Chain
            The chain whose attributes hold the parameters.
        inputs : dict
            Inputs of the graph, by name.
        names : tuple of str
            Names of the values.

        Returns
        -------
        list of Variable
            The values.
        """
        if names not in self._plans:
            self._plans[names] = self._plan(names)
        places, lines, outputs = self._plans[names]
        values = [None] * len(places)
        for source, i in places.items():
            if isinstance(source, _Attribute):
                values[i] = getattr(chain, source.name)
            elif isinstance(source, _Known):
                values[i] = self._description.known[source.name]
            elif source.name in inputs:
                values[i] = inputs[source.name]
        inputs.clear()
        for step, ins, outs, used_up, unused in lines:
            args = [None if i is None else values[i] for i in ins]
            for i in used_up:
                values[i] = None
            for i in step.fetch:
                args[i] = host(args[i])
            for i in step.send:
                args[i] = chain.device.send(raw(args[i]))
            try:
                results = step.compute(*args)
            except Exception as e:
                _add_note(e, step.node)
                raise
            args = None
            for i, result in zip(outs, (results,) if len(outs) == 1 else results,
                                 strict=True):
                if i is not None and i not in unused:
                    values[i] = (
                        numpy.asarray(result) if isinstance(result, numpy.generic)
                        else result)
            results = result = None
        return [_as_output(chain, values[i]) for i in outputs]


def _as_output(chain, value):
    if isinstance(value, Variable) and isinstance(value.array, chain.xp.ndarray):
        return value
    return as_variable(chain.device.send(raw(value)))


def _add_note(error, node):
    if hasattr(error, 'add_note'):      # from Python 3.11 on
        error.add_note('in the node %s %r of the ONNX graph, which makes %s' % (
            node.type, node.name, ', '.join(node.outputs)))
