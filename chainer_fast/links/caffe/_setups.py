"""Functions that set up the layers of each type."""
import functools

from chainer_fast import functions, links
from chainer_fast.links.caffe import _layers, _params
from chainer_fast.links.caffe.protobuf3 import caffe_pb2 as caffe_pb

# Functions that set up layers, by the name of the type in the field ``layer`` and by
# its number in ``layers``, the field in older files.
_type_to_method = {}
_oldname_to_method = {}


def _layer(typ, oldname):
    """Return a decorator for the function that sets up layers of a type.

    Parameters
    ----------
    typ : str
        Name of the type.
    oldname : str or None
        Name of the type in ``V1LayerParameter``; None if it is newer.

    Returns
    -------
    callable
        The decorator. The arguments of the function are the network and the message of
        a layer.
    """
    def register(setup):
        _type_to_method[typ] = setup
        if oldname is not None:
            number = getattr(caffe_pb.V1LayerParameter, oldname)
            _oldname_to_method[number] = setup
        return setup
    return register


def _add(net, layer, func):
    net.forwards[layer.name] = func
    net._add_layer(layer)


def _add_link(net, layer, child):
    """Add a layer that calls a new child; return the callable."""
    net.add_link(layer.name, child)
    call = _layers._CallChildLink(net, layer.name)
    _add(net, layer, call)
    return call


def _blobs(layer, n):
    """Return the blobs of a layer, of which there must be at least ``n``."""
    if len(layer.blobs) < n:
        raise IndexError(
            'list index out of range: there are %d blobs instead of %s'
            % (len(layer.blobs), n))
    return layer.blobs


@_layer('Concat', 'CONCAT')
def _concat(net, layer):
    axis = _params._get_axis(layer.concat_param, 'concat_dim')
    _add(net, layer, _layers._ListArgumentFcuntion(functions.concat, axis=axis))


def _initial(layer, has_bias, weight, n_out):
    """Return the arguments that initialize a link from the blobs of a layer."""
    blobs = _blobs(layer, 1 + has_bias)
    if has_bias:
        _params._check_shape('the bias', blobs[1], (n_out,))
    return {
        'nobias': not has_bias,
        'initialW': weight,
        'initial_bias': _params._Blob(blobs[1]) if has_bias else None,
    }


def _convolution_arguments(layer, out_axis):
    """Return the sizes of the weight, and the remaining arguments."""
    param = layer.convolution_param
    blob, = _blobs(layer, 1)[:1]
    stored = _params._get_num(blob), _params._get_channels(blob)
    window = _params._window(param)
    _params._check_shape('the weight', blob, stored + window)
    _params._check_groups(stored + window, param.group)
    shape = stored[0], stored[1] * param.group
    stride = _params._get_stride(param)
    dilate = _params._one_or_all(param.dilation, 1)
    _params._check_positive('the stride', stride)
    _params._check_positive('the dilation', dilate)
    return shape, {
        'ksize': _params._get_ksize(param), 'stride': stride,
        'pad': _params._get_pad(param), 'dilate': dilate,
        **_initial(layer, param.bias_term, _params._ConvolutionBlob(blob, param.group),
                   shape[out_axis]),
    }


@_layer('Convolution', 'CONVOLUTION')
def _convolution(net, layer):
    (n_out, n_in), arguments = _convolution_arguments(layer, 0)
    _add_link(net, layer, links.Convolution2D(n_in, n_out, **arguments))


@_layer('Deconvolution', 'DECONVOLUTION')
def _deconvolution(net, layer):
    (n_in, n_out), arguments = _convolution_arguments(layer, 1)
    _add_link(net, layer, links.Deconvolution2D(n_in, n_out, **arguments))


@_layer('Data', 'DATA')
def _data(net, layer):
    """Do nothing, since the data are passed to the network as arguments."""


@_layer('Dropout', 'DROPOUT')
def _dropout(net, layer):
    _add(net, layer, _layers._SingleArgumentFunction(
        functions.dropout, ratio=layer.dropout_param.dropout_ratio))


@_layer('InnerProduct', 'INNER_PRODUCT')
def _inner_product(net, layer):
    param = layer.inner_product_param
    if param.axis != 1:
        raise RuntimeError(
            'InnerProduct along axis %s is not supported, only along axis 1'
            % (param.axis,))
    if param.transpose:
        raise RuntimeError('InnerProduct with a transposed weight is not supported')
    blob, = _blobs(layer, 1)[:1]
    n_in, n_out = _params._get_width(blob), _params._get_height(blob)
    _params._check_shape('the weight', blob, (n_out, n_in))
    _add_link(net, layer, links.Linear(n_in, n_out, **_initial(
        layer, param.bias_term, _params._Blob(blob), n_out)))


@_layer('LRN', 'LRN')
def _lrn(net, layer):
    param = layer.lrn_param
    if param.norm_region != param.ACROSS_CHANNELS:
        raise RuntimeError('LRN within channels is not supported')
    _params._check_positive('the size of the window', param.local_size)
    # Caffe divides by the size of the window.
    _add(net, layer, _layers._SingleArgumentFunction(
        functions.local_response_normalization, n=param.local_size, k=param.k,
        alpha=float(param.alpha) / float(param.local_size), beta=param.beta))


@_layer('Pooling', 'POOLING')
def _pooling(net, layer):
    param = layer.pooling_param
    if param.pool == param.MAX:
        pool = functions.max_pooling_2d
    elif param.pool == param.AVE:
        pool = functions.average_pooling_2d
    else:
        raise RuntimeError('stochastic pooling is not supported')
    ksize = _params._get_ksize(param)
    if param.global_pooling and not ksize:
        pool, window = functools.partial(_layers._pool_all, pool), ()
    else:
        _params._check_positive('the size of the window', ksize)
        window = ksize,
    stride = _params._get_stride(param)
    _params._check_positive('the stride', stride)
    _add(net, layer, _layers._SingleArgumentFunction(
        pool, *window, stride=stride, pad=_params._get_pad(param)))


@_layer('ReLU', 'RELU')
def _relu(net, layer):
    slope = layer.relu_param.negative_slope
    _add(net, layer, functions.relu if slope == 0 else _layers._SingleArgumentFunction(
        functions.leaky_relu, slope=slope))


@_layer('Reshape', None)
def _reshape(net, layer):
    _add(net, layer, _layers._SingleArgumentFunction(
        functions.reshape, shape=list(layer.reshape_param.shape.dim)))


@_layer('BatchNorm', None)
def _batch_norm(net, layer):
    param = layer.batch_norm_param
    mean, var = [_params._values(blob) for blob in _blobs(layer, 2)[:2]]
    _params._check_shape('the variance', layer.blobs[1], mean.shape)
    if len(layer.blobs) > 2:
        # The averages are stored as sums; they remain zero if there was no batch.
        _params._check_shape('the scale of the averages', layer.blobs[2], (1,))
        scale = _params._values(layer.blobs[2])
        mean, var = [v / scale if scale.any() else v * 0 for v in (mean, var)]
    call = _add_link(net, layer, links.BatchNormalization(
        mean.size, use_gamma=False, use_beta=False,
        decay=param.moving_average_fraction if param.HasField(
            'moving_average_fraction') else 0.999,
        eps=param.eps if param.HasField('eps') else 1e-5,
        initial_avg_mean=mean, initial_avg_var=var))
    wrapper = (
        _layers._SingleArgumentFunctionTestMode if param.use_global_stats
        else _layers._SingleArgumentFunction)
    net.forwards[layer.name] = wrapper(call, finetune=False)


@_layer('Eltwise', 'ELTWISE')
def _eltwise(net, layer):
    param = layer.eltwise_param
    _add(net, layer, _layers._EltwiseFunction(
        param.operation, list(param.coeff) or None))


@_layer('Scale', None)
def _scale(net, layer):
    param = layer.scale_param
    own = len(layer.bottom) == 1    # otherwise another input is the weight
    blobs = _blobs(layer, own + param.bias_term)
    W_shape = _params._shape(blobs[0]) if own else None
    b_shape = _params._shape(blobs[own]) if param.bias_term else None
    if own:
        _params._check_shape('the weight', blobs[0], W_shape)
    if param.bias_term:
        _params._check_shape('the bias', blobs[own], W_shape if own else b_shape)
    child = links.Scale(param.axis, W_shape, param.bias_term, b_shape)
    if own:
        _params._Blob(blobs[0])(child.W.array)
    if param.bias_term:
        _params._Blob(blobs[own])(child.bias.b.array)
    _add_link(net, layer, child)


@_layer('Slice', 'SLICE')
def _slice(net, layer):
    param = layer.slice_param
    _add(net, layer, _layers._SingleArgumentFunction(
        functions.split_axis,
        indices_or_sections=list(param.slice_point) or len(layer.top),
        axis=_params._get_axis(param, 'slice_dim')))


def _check_softmax(layer):
    if layer.softmax_param.axis != 1:
        raise RuntimeError(
            'softmax along axis %s is not supported, only along axis 1'
            % (layer.softmax_param.axis,))


@_layer('Softmax', 'SOFTMAX')
def _softmax(net, layer):
    _check_softmax(layer)
    param = layer.softmax_param
    if param.engine == param.DEFAULT:
        func = functions.softmax
    else:
        func = _layers._SingleArgumentFunctionWithCudnn(
            param.engine == param.CUDNN, functions.softmax)
    _add(net, layer, func)


@_layer('Sigmoid', 'SIGMOID')
def _sigmoid(net, layer):
    _add(net, layer, functions.sigmoid)


@_layer('SoftmaxWithLoss', 'SOFTMAX_LOSS')
def _softmax_with_loss(net, layer):
    _check_softmax(layer)
    _add(net, layer, functions.softmax_cross_entropy)


@_layer('Split', 'SPLIT')
def _split(net, layer):
    bottom, = layer.bottom[:1] or [None]
    if bottom is None:
        raise IndexError('list index out of range: there is nothing to split')
    # It may be the output of another Split.
    bottom = net.split_map.get(bottom, bottom)
    net.split_map.update(dict.fromkeys(layer.top, bottom))
