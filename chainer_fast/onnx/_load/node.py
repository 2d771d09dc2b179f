"""Nodes of a graph, with accessors for their attributes."""
import numpy

from chainer_fast.onnx._library import onnx
from chainer_fast.onnx._load import reading

_REQUIRED = object()


class Unsupported(Exception):
    """A node cannot be computed because of its type or its attributes."""


def _decimal(x):
    # Attributes are in single precision. The original value was most probably the
    # shortest number that rounds to it: 0.1, not 0.100000001490116.
    return float(str(numpy.float32(x)))


def _value(attribute):
    kind = onnx.AttributeProto.AttributeType.Name(attribute.type)
    if kind == 'TENSOR':
        return reading.to_array(attribute.t)
    if kind not in ('FLOAT', 'FLOATS', 'INT', 'INTS', 'STRING', 'STRINGS'):
        raise Unsupported('its attribute %r has the type %s' % (attribute.name, kind))
    value = onnx.helper.get_attribute_value(attribute)
    if kind == 'FLOAT':
        return _decimal(value)
    if kind == 'STRING':
        return value.decode()
    if kind == 'FLOATS':
        return [_decimal(x) for x in value]
    if kind == 'STRINGS':
        return [x.decode() for x in value]
    return value if kind == 'INT' else list(value)


class Node:
    """A node.

    Parameters
    ----------
    proto : onnx.NodeProto
        The node in the file.
    opset : int
        Operator set version.
    known : dict
        Values that do not depend on the inputs of the graph, by name.

    Attributes
    ----------
    type, name : str
        Its operator and its name.
    inputs, outputs : list of str
        Names of values; empty strings for omitted ones, except at the end.
    opset : int
        Operator set version.

    Raises
    ------
    Unsupported
        If an attribute has a type that is not supported, such as a graph.
    """

    def __init__(self, proto, opset, known):
        self.type, self.name = proto.op_type, proto.name
        self.inputs, self.outputs = list(proto.input), list(proto.output)
        for names in self.inputs, self.outputs:
            while names and not names[-1]:
                del names[-1]
        self.opset = opset
        self._known = known
        self._attributes = {a.name: _value(a) for a in proto.attribute}
        self._asked = set()

    def get(self, name, default=_REQUIRED):
        """Return an attribute, which is required without a default."""
        self._asked.add(name)
        if name in self._attributes:
            return self._attributes[name]
        if default is _REQUIRED:
            raise Unsupported('its attribute %r is missing' % name)
        return default

    def has(self, i):
        """Return whether the ``i``-th input is given."""
        return i < len(self.inputs) and bool(self.inputs[i])

    def known(self, i):
        """Return the ``i``-th input if it is a constant of the graph, else None."""
        return self._known.get(self.inputs[i]) if self.has(i) else None

    def require(self, name, *values, default=_REQUIRED):
        """Return an attribute that must be one of some values."""
        value = self.get(name, default)
        if value not in values:
            raise Unsupported('its attribute %s is %r; supported is %s' % (
                name, value, ' or '.join([repr(v) for v in values])))
        return value

    def check_all_read(self):
        """Raise :class:`Unsupported` if some attribute has not been read."""
        left = sorted(set(self._attributes) - self._asked)
        if left:
            raise Unsupported('its attributes %s are not supported' % ', '.join(
                ['%s=%r' % (name, self._attributes[name]) for name in left]))
