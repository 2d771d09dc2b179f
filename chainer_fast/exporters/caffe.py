"""Export of models to Caffe; needs protobuf."""
import os

from chainer_fast import variable
from chainer_fast.backends import cuda
from chainer_fast.configuration import using_config
from chainer_fast.exporters import _caffe_graph
from chainer_fast.function import force_backprop_mode
from chainer_fast.functions.activation.leaky_relu import LeakyReLU
from chainer_fast.functions.activation.relu import ReLU
from chainer_fast.functions.activation.sigmoid import Sigmoid
from chainer_fast.functions.activation.softmax import Softmax
from chainer_fast.functions.array.concat import Concat
from chainer_fast.functions.array.reshape import Reshape
from chainer_fast.functions.connection.convolution_2d import Convolution2DFunction
from chainer_fast.functions.connection.deconvolution_2d import Deconvolution2DFunction
from chainer_fast.functions.connection.linear import LinearFunction
from chainer_fast.functions.math.basic_math import Add
from chainer_fast.functions.normalization.batch_normalization import (
    FixedBatchNormalization,
)
from chainer_fast.functions.normalization.local_response_normalization import (
    LocalResponseNormalization,
)
from chainer_fast.functions.pooling.average_pooling_2d import AveragePooling2D
from chainer_fast.functions.pooling.max_pooling_nd import MaxPoolingND
from chainer_fast.links.caffe.protobuf3 import caffe_pb2 as caffe_pb

# A converter takes a function and the arrays that it was applied to. It returns None
# if Caffe has no such layer, or else a list of layers, one after the other: the type,
# the other fields (in the order of the text) and the weights.

_BLOB_CHUNK = 1 << 20


def _activation(kind):
    return lambda function, arrays: [(kind, {}, ())]


def _leaky_relu(function, arrays):
    return [('ReLU', {'relu_param': {'negative_slope': function.slope}}, ())]


def _softmax(function, arrays):
    param = {} if function.axis == 1 else {'softmax_param': {'axis': function.axis}}
    return [('Softmax', param, ())]


def _linear(function, arrays):
    _, W, *b = arrays
    param = {'num_output': W.shape[0], 'bias_term': bool(b)}
    return [('InnerProduct', {'inner_product_param': param}, (W, *b))]


def _window(ksize, stride, pad):
    names = [(name, sizes, axis)
             for name, sizes in (('pad', pad), ('stride', stride), ('kernel', ksize))
             for axis in (1, 0)]
    return {'%s_%s' % (name, 'hw'[axis]): sizes[axis] for name, sizes, axis in names}


def _convolution(function, arrays):
    _, W, *b = arrays
    transposed = isinstance(function, Deconvolution2DFunction)
    param = {
        'num_output': W.shape[1] * function.groups if transposed else W.shape[0],
        'bias_term': bool(b),
        **_window(W.shape[2:], (function.sy, function.sx), (function.ph, function.pw)),
        'group': function.groups,
    }
    if (function.dy, function.dx) != (1, 1):
        param['dilation'] = [function.dy, function.dx]
    kind = 'Deconvolution' if transposed else 'Convolution'
    return [(kind, {'convolution_param': param}, (W, *b))]


def _average_pooling(function, arrays):
    window = _window((function.kh, function.kw), (function.sy, function.sx),
                     (function.ph, function.pw))
    return _pooling(caffe_pb.PoolingParameter.AVE, window)


def _max_pooling(function, arrays):
    if function.ndim != 2:
        return None
    return _pooling(caffe_pb.PoolingParameter.MAX, _window(
        function.ksize, function.stride, function.pad))


def _pooling(method, window):
    return [('Pooling', {'pooling_param': {'pool': method, **window}}, ())]


def _batch_normalization(function, arrays):
    if function.key_axis != (1,):
        return None
    _, gamma, beta, mean, var = arrays
    # The third blob is what Caffe divides the averages by.
    one = caffe_pb.BlobProto(data=[1.], shape={'dim': [1]})
    return [
        ('BatchNorm', {
            'batch_norm_param': {'use_global_stats': True, 'eps': function.eps},
        }, (mean, var, one)),
        ('Scale', {'scale_param': {'axis': 1, 'bias_term': True}}, (gamma, beta)),
    ]


def _local_response_normalization(function, arrays):
    # Caffe divides alpha by the size of the window.
    return [('LRN', {'lrn_param': {
        'norm_region': caffe_pb.LRNParameter.ACROSS_CHANNELS,
        'local_size': function.n,
        'k': function.k,
        'alpha': function.alpha * function.n,
        'beta': function.beta,
    }}, ())]


def _reshape(function, arrays):
    return [('Reshape', {
        'reshape_param': {'shape': {'dim': list(function.shape)}}}, ())]


def _concat(function, arrays):
    return [('Concat', {'concat_param': {'axis': function.axis}}, ())]


_CONVERTERS = {
    AveragePooling2D: _average_pooling,
    Add: _activation('Eltwise'),
    Concat: _concat,
    Convolution2DFunction: _convolution,
    Deconvolution2DFunction: _convolution,
    FixedBatchNormalization: _batch_normalization,
    LeakyReLU: _leaky_relu,
    LinearFunction: _linear,
    LocalResponseNormalization: _local_response_normalization,
    MaxPoolingND: _max_pooling,
    ReLU: _activation('ReLU'),
    Reshape: _reshape,
    Sigmoid: _activation('Sigmoid'),
    Softmax: _softmax,
}

# Inputs after the first one are weights, which are no layers.
_WITH_WEIGHTS = (
    Convolution2DFunction, Deconvolution2DFunction, FixedBatchNormalization,
    LinearFunction)


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
            # Even an empty message is there.
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
    """Layers as they are written.

    Parameters
    ----------
    data : VariableNode
        Input of the network.
    """

    def __init__(self, data):
        self._data = data
        self._names = {}
        self._counts = {}
        self.fields = []
        self.message = caffe_pb.NetParameter()

    def _name(self, function):
        """Make the name of a layer: the label, the rank and a number."""
        start = '%s-%d' % (function.label, function.rank)
        self._counts[start] = number = self._counts.get(start, 0) + 1
        name = self._names[function] = '%s-%d' % (start, number)
        return name

    def _bottom(self, function):
        """Return the names of the layers that a function takes from.

        None is for those that are no layers.
        """
        nodes = function.inputs
        if isinstance(function, _WITH_WEIGHTS):
            nodes = nodes[:1]
        return ['data' if node is self._data else self._names.get(node.creator_node)
                for node in nodes]

    def add(self, function, arrays):
        """Add the layers that a function becomes.

        Parameters
        ----------
        function : FunctionNode
            The function.
        arrays : tuple of array
            What it was applied to.

        Raises
        ------
        Exception
            If there is no such layer in Caffe, or if the function takes constants.
        """
        bottom = self._bottom(function)
        name = self._name(function)
        converter = _CONVERTERS.get(type(function))
        layers = None if converter is None else converter(function, arrays)
        if layers is None or None in bottom:
            raise Exception(
                'Cannot convert, name=%s, rank=%d, label=%s, inputs=%s: %s' % (
                    name, function.rank, function.label, bottom,
                    'some inputs are neither the data nor layers'
                    if layers else 'there is no layer for it'))
        for i, (kind, fields, blobs) in enumerate(layers):
            # Of two layers the first one has a name that tells.
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

    def text(self, name, shape):
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


def export(model, args, directory=None, export_params=True, graph_name='Graph'):
    """Export a model to Caffe.

    The model is called, without training, and the functions it applies are written to
    ``chainer_model.prototxt``, with their weights to ``chainer_model.caffemodel``.

    Supported are ``linear``, ``convolution_2d``, ``deconvolution_2d``,
    ``max_pooling_2d``, ``average_pooling_2d``, ``batch_normalization`` (as in links,
    along channels), ``local_response_normalization``, ``relu``, ``leaky_relu``,
    ``sigmoid``, ``softmax``, ``concat``, ``reshape`` and the sum of two variables.
    ``dropout`` does nothing here. Caffe pools windows that are cut off by the margin,
    as ``max_pooling_2d`` does unless told otherwise and ``average_pooling_2d`` never
    does.

    Parameters
    ----------
    model : callable
        The model, a :class:`~chainer_fast.Chain` for example.
    args : list or tuple of chainer_fast.Variable
        Its argument. More than one are not supported.
    directory : str, path or None
        Existing folder for the files. With None nothing is written, but the model is
        tried.
    export_params : bool
        Whether to write the weights.
    graph_name : str
        Name of the network.

    Raises
    ------
    Exception
        If there is no layer for a function of the model. Nothing is written then.
    AssertionError
        If something else than variables is given or returned.
    NotImplementedError
        If there is not just one argument.
    """
    assert isinstance(args, (list, tuple)), (
        'args is to be a list or a tuple, not %s' % type(args))
    if len(args) != 1:
        raise NotImplementedError(
            'a model of one variable can be exported, not of %d' % len(args))
    x, = args
    assert isinstance(x, variable.Variable), (
        'the argument is to be a Variable, not %s' % type(x))

    recorder = _caffe_graph.InputRecorder()
    with using_config('train', False), force_backprop_mode(), recorder:
        outputs = model(x)
    if isinstance(outputs, variable.Variable):
        outputs = [outputs]
    assert isinstance(outputs, (list, tuple)), (
        'the model is to return variables, not %s' % type(outputs))
    assert all(isinstance(y, variable.Variable) for y in outputs), (
        'the model is to return variables, not %s' % [type(y) for y in outputs])

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
