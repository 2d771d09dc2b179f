"""Export of models to Caffe; needs protobuf."""
from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from chainer_fast import variable
from chainer_fast.backends import cuda
from chainer_fast.configuration import using_config
from chainer_fast.exporters import _caffe_graph, _caffe_layers
from chainer_fast.function import force_backprop_mode
from chainer_fast.function_node import FunctionNode
from chainer_fast.links.caffe.protobuf3 import caffe_pb2 as caffe_pb
from chainer_fast.types import NdArray
from chainer_fast.variable import Variable, VariableNode

_BLOB_CHUNK = 1 << 20


def _write(fields, indent=''):
    """Iterate over the lines of a message in text format."""
    for name, value in fields.items():
        for v in value if isinstance(value, list) else [value]:
            if isinstance(v, dict):
                yield '%s%s {' % (indent, name)
                yield from _write(v, indent + '  ')
                yield indent + '}'
            else:
                if isinstance(v, bool):
                    v = str(v).lower()
                elif isinstance(v, str):
                    v = '"%s"' % v
                yield '%s%s: %s' % (indent, name, v)


def _fill(message, fields):
    """Set the fields of a message."""
    for name, value in fields.items():
        if isinstance(value, dict):
            # An empty message must be present, too.
            getattr(message, name).SetInParent()
            _fill(getattr(message, name), value)
        elif isinstance(value, list):
            getattr(message, name).extend(value)
        else:
            setattr(message, name, value)


def _add_blob(layer, shape, data):
    """Add weights to the message of a layer."""
    blob = layer.blobs.add()
    blob.shape.dim.extend(shape)
    flat = cuda.to_cpu(data).ravel()
    for i in range(0, flat.size, _BLOB_CHUNK):
        blob.data.extend(flat[i:i + _BLOB_CHUNK].tolist())


class _Network:
    """Layers written so far.

    Parameters
    ----------
    data : VariableNode
        Input of the network.
    """

    def __init__(self, data: VariableNode) -> None:
        self._data = data
        self._names = {}
        self._counts = {}
        self.fields = []
        self.message = caffe_pb.NetParameter()

    def _name(self, function):
        """Make the name of a layer from its label, its rank and a number."""
        start = '%s-%d' % (function.label, function.rank)
        self._counts[start] = number = self._counts.get(start, 0) + 1
        name = self._names[function] = '%s-%d' % (start, number)
        return name

    def _bottom(self, function):
        """Return the names of the layers that are inputs of a function.

        None represents inputs that are not layers.
        """
        nodes = function.inputs
        if isinstance(function, _caffe_layers.WITH_WEIGHTS):
            nodes = nodes[:1]
        return ['data' if node is self._data else self._names.get(node.creator_node)
                for node in nodes]

    def add(self, function: FunctionNode, arrays: tuple[NdArray, ...]) -> None:
        """Add the layers for a function.

        Parameters
        ----------
        function : FunctionNode
            The function.
        arrays : tuple of array
            Its inputs.

        Raises
        ------
        Exception
            If Caffe has no such layer, or if the function has constant inputs.
        """
        bottom = self._bottom(function)
        name = self._name(function)
        converter = _caffe_layers.CONVERTERS.get(type(function))
        layers = None if converter is None else converter(function, arrays)
        if layers is None or None in bottom:
            raise Exception(
                'Cannot convert, name=%s, rank=%s, label=%s, inputs=%s: %s' % (
                    name, function.rank, function.label, bottom,
                    'some inputs are neither the data nor layers'
                    if layers else 'Caffe has no layer for it'))
        for i, (kind, fields, blobs) in enumerate(layers):
            # The first of two layers gets a descriptive suffix.
            top = name if i == len(layers) - 1 else name + '_bn'
            fields = {
                'type': kind, 'name': top, 'bottom': bottom, 'top': [top], **fields}
            self.fields.append(fields)
            message = self.message.layer.add(phase=caffe_pb.TEST)
            _fill(message, fields)
            for blob in blobs:
                if isinstance(blob, caffe_pb.BlobProto):
                    message.blobs.append(blob)
                else:
                    _add_blob(message, blob.shape, blob)
            bottom = [top]

    def text(self, name: str, shape: tuple[int, ...]):
        """Return the network in text format.

        Parameters
        ----------
        name : str
            Name of the network.
        shape : tuple of int
            Shape of the input.
        """
        lines = [
            'name: "%s"' % name,
            'layer {', '  name: "data"', '  type: "Input"', '  top: "data"',
            '  input_param { shape: { %s } }' % ' '.join('dim: %d' % n for n in shape),
            '}',
        ]
        for fields in self.fields:
            lines += _write({'layer': fields})
        return '\n'.join(lines) + '\n'


def export(
        model: Callable[..., Any], args: list[Any] | tuple[Variable, ...],
        directory: Any = None, export_params: bool = True,
        graph_name: str = 'Graph') -> None:
    """Export a model to Caffe.

    The model is called in test mode, and the functions it applies are written to
    ``chainer_model.prototxt``, with their weights to ``chainer_model.caffemodel``.

    The supported functions are ``linear``, ``convolution_2d``, ``deconvolution_2d``,
    ``max_pooling_2d``, ``average_pooling_2d``, ``batch_normalization`` (as in links,
    along channels), ``local_response_normalization``, ``relu``, ``leaky_relu``,
    ``sigmoid``, ``softmax``, ``concat``, ``reshape`` and the sum of two variables.
    ``dropout`` is ignored. Caffe also pools windows that extend beyond the image, as
    ``max_pooling_2d`` does by default and ``average_pooling_2d`` never does.

    Parameters
    ----------
    model : callable
        The model, a :class:`~chainer_fast.Chain` for example.
    args : list or tuple of chainer_fast.Variable
        Its only argument.
    directory : str, path or None
        Existing folder for the files. If None, the model is converted, but nothing is
        written.
    export_params : bool
        Whether to write the weights.
    graph_name : str
        Name of the network.

    Raises
    ------
    Exception
        If Caffe has no layer for a function of the model. In this case nothing is
        written.
    AssertionError
        If the model's argument or result is not a variable.
    NotImplementedError
        If there is more than one argument.

    See Also
    --------
    chainer_fast.links.caffe.CaffeFunction

    Examples
    --------
    This example writes ``chainer_model.prototxt`` and ``chainer_model.caffemodel``,
    and needs protobuf: ::

        from chainer_fast.exporters import caffe
        x = chainer.Variable(np.ones((1, 3, 28, 28), np.float32))
        caffe.export(model, [x], directory='out')
    """
    assert isinstance(args, (list, tuple)), (
        'args must be a list or a tuple, not %s' % type(args))
    if len(args) != 1:
        raise NotImplementedError(
            'only models of one variable can be exported, not of %d' % len(args))
    x, = args
    assert isinstance(x, variable.Variable), (
        'the argument must be a Variable, not %s' % type(x))

    recorder = _caffe_graph.InputRecorder()
    with using_config('train', False), force_backprop_mode(), recorder:
        outputs = model(x)
    if isinstance(outputs, variable.Variable):
        outputs = [outputs]
    assert isinstance(outputs, (list, tuple)), (
        'the model must return variables, not %s' % type(outputs))
    assert all(isinstance(y, variable.Variable) for y in outputs), (
        'the model must return variables, not %s' % [type(y) for y in outputs])

    network = _Network(x.node)
    for function in _caffe_graph.sort(outputs, x.node):
        network.add(function, recorder.arrays[function])
    if directory is None:
        return
    base = os.path.join(directory, 'chainer_model')
    with open(base + '.prototxt', 'w', encoding='utf-8', newline='\n') as file:
        file.write(network.text(graph_name, x.shape))
    if export_params:
        with open(base + '.caffemodel', 'wb') as file:
            file.write(network.message.SerializeToString())
