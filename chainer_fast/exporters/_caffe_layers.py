"""Converters of functions to layers of Caffe."""
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

# A converter takes a function and its input arrays. It returns None if Caffe has no
# such layer, otherwise a list of successive layers: type, other fields (in the order
# of the text) and weights.


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
    # The third blob is the divisor that Caffe applies to the averages.
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


CONVERTERS = {
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

# Functions whose inputs after the first one are weights rather than layers.
WITH_WEIGHTS = (
    Convolution2DFunction, Deconvolution2DFunction, FixedBatchNormalization,
    LinearFunction)
