"""Calls of functions and links, and the odd values that one argument of each takes.

The arguments to replace are found by signatures: those whose defaults are None or
numbers, and those of the calls that are numbers. This module runs beside the released
Chainer as well, and so needs nothing but NumPy.
"""
import decimal
import fractions
import inspect
import warnings

import numpy as np


def floats(*shape):
    return np.random.RandomState(sum(shape)).uniform(-1, 1, shape).astype('f')


def labels(*shape):
    return (np.arange(np.prod(shape)).reshape(shape) % 3).astype('i')


X, IMAGE, T = floats(4, 3), floats(2, 4, 6, 6), labels(4)
ROIS, NUMBERS = np.array([[0, 0, 4, 4], [1, 1, 5, 3]], 'f'), np.zeros(2, 'i')

#: Functions with arguments for them; variables are made of arrays of floats.
FUNCTIONS = {
    'accuracy': (X, T), 'softmax_cross_entropy': (X, T),
    'binary_accuracy': (X[:, 0], T),
    'classification_summary': (X, T), 'f1_score': (X, T), 'precision': (X, T),
    'recall': (X, T), 'embed_id': (T, floats(5, 3)), 'elu': (X,), 'leaky_relu': (X,),
    'clipped_relu': (X,), 'selu': (X,), 'softplus': (X,), 'softmax': (X,),
    'log_softmax': (X,), 'logsumexp': (X,), 'crelu': (X,), 'maxout': (floats(4, 6), 2),
    'sum': (X,), 'mean': (X,), 'max': (X,), 'min': (X,), 'prod': (X,), 'argmax': (X,),
    'argmin': (X,), 'cumsum': (X,), 'cumprod': (X,), 'clip': (X, -.5, .5),
    'huber_loss': (X, floats(4, 3) * 3, 1.), 'contrastive': (X, X[::-1], T % 2),
    'triplet': (X, X[::-1], X * 2), 'hinge': (X, T), 'normalize': (X,),
    'sigmoid_cross_entropy': (X, labels(4, 3) - 1), 'black_out': (
        X, T, floats(5, 3), labels(4, 2)),
    'batch_normalization': (X, floats(3), floats(3)),
    'fixed_batch_normalization': (X, floats(3), floats(3), floats(3), abs(floats(3))),
    'layer_normalization': (X, floats(3), floats(3)),
    'group_normalization': (IMAGE, 2, floats(4), floats(4)),
    'local_response_normalization': (IMAGE,),
    'max_pooling_2d': (IMAGE, 2), 'average_pooling_2d': (IMAGE, 2),
    'unpooling_2d': (IMAGE, 2), 'convolution_2d': (IMAGE, floats(3, 4, 3, 3)),
    'deconvolution_2d': (IMAGE, floats(4, 3, 3, 3)), 'im2col': (IMAGE, 3),
    'depthwise_convolution_2d': (IMAGE, floats(2, 4, 3, 3)),
    'dilated_convolution_2d': (IMAGE, floats(3, 4, 3, 3)),
    'linear': (X, floats(2, 3)), 'matmul': (X, floats(3, 2)), 'concat': ([X, X],),
    'stack': ([X, X],), 'split_axis': (X, 2, 0), 'separate': (X,),
    'expand_dims': (X, 1), 'squeeze': (floats(4, 1, 3),), 'swapaxes': (X, 0, 1),
    'rollaxis': (X, 1), 'moveaxis': (X, 0, 1), 'repeat': (X, 2), 'flip': (X, 0),
    'diagonal': (X,), 'tensordot': (X, floats(3, 2)), 'pad_sequence': ([X, X[:2]],),
    'average': (X,), 'scale': (X, floats(3)), 'bias': (X, floats(3)),
    'space2depth': (IMAGE, 2), 'depth2space': (IMAGE, 2), 'shift': (IMAGE,),
    'select_item': (X, T), 'polygamma': (labels(4, 3), X), 'fmod': (X, .3),
    'roi_max_pooling_2d': (IMAGE, ROIS, NUMBERS, 2, 1.),
    'roi_average_pooling_2d': (IMAGE, ROIS, NUMBERS, 2, 1.),
    'roi_max_align_2d': (IMAGE, ROIS, NUMBERS, 2, 1., 2),
    'roi_average_align_2d': (IMAGE, ROIS, NUMBERS, 2, 1., 2),
    'resize_images': (IMAGE, (3, 3)), 'permutate': (X, T),
    'connectionist_temporal_classification': (
        [X, X[::-1], X], labels(4, 1) % 2 + 1, 0),
    'spatial_pyramid_pooling_2d': (IMAGE, 2), 'zoneout': (X, X * 2),
    'add': (X, 2.), 'discriminative_margin_based_clustering_loss': (
        IMAGE, labels(2, 6, 6), .5, 1.5, 3),
}

#: Links with arguments for them, and those of a call.
LINKS = {
    'EmbedID': ((5, 3), (T,)), 'BatchNormalization': ((3,), (X,)),
    'LayerNormalization': ((3,), (X,)), 'GroupNormalization': ((2, 4), (IMAGE,)),
    'Maxout': ((3, 2, 2), (X,)), 'Swish': ((3,), (X,)),
}

VALUES = {
    'None': None, 'True': True, 'False': False, '0': 0, '1': 1, '-1': -1, '2': 2,
    '2**31': 2 ** 31, '2**63': 2 ** 63, '2**64': 2 ** 64, '-2**63-1': -2 ** 63 - 1,
    '10**400': 10 ** 400, '1.0': 1., '0.5': .5, 'nan': np.nan, 'inf': np.inf,
    '-inf': -np.inf, 'uint64': np.uint64(2 ** 64 - 1), 'int8': np.int8(-1),
    'int64': np.int64(1), 'bool_': np.bool_(True), 'float16': np.float16(.5),
    'float32': np.float32(.5), 'float64': np.float64(.5), 'complex': 1j,
    '0-d': np.array(1), '0-d float': np.array(.5, 'f'), 'one': np.array([-1]),
    'one float': np.array([.5], 'f'), 'Fraction': fractions.Fraction(1, 2),
    'Decimal': decimal.Decimal('0.5'), 'str': 'a', 'tuple': (1,), 'list': [0],
}

# What asks for all the memory there is, or for hours, with Chainer as well.
_SIZES = {
    'label_num', 'repeats', 'pad', 'ksize', 'length', 'outsize', 'n', 'pyramid_height',
    'sampling_ratio', 'r', 'dilate', 'size', 'in_size', 'out_size', 'pool_size',
    'groups', 'stride', 'n_layers', 'wscale', 'initialize', 'max_embedding_dim',
    'offset', 'spatial_scale', 'outh', 'outw', 'axes', 'n_batch_axes'}
_LARGE = {'2**31', '2**63', '2**64', '-2**63-1', '10**400', 'inf', '-inf', 'uint64'}
# Random numbers, arrays and code.
_LEFT_OUT = {
    'kwargs', 'b', 'mask', 'impl_selector', 'running_mean', 'running_var', 'weights',
    'initialW', 'initial_beta', 'initial_gamma', 'initial_bias', 'class_weight',
    'initial_avg_mean', 'initial_avg_var', 'dtype', 'mode', 'pooling', 'reduce', 'norm',
    'soft_target_loss', 'input_length', 'label_length', 'ratio', 'beta_shape',
    'beta_init', 'padding', 'return_indices', 'xs'}


def _is_number(value):
    return value is None or isinstance(value, (bool, int, float))


def _parameters(function, args):
    """Yield the names of the arguments to replace, and the arguments by name."""
    parameters = list(inspect.signature(function).parameters.values())
    named = dict(zip([p.name for p in parameters], args, strict=False))
    for p in parameters:
        if p.name in _LEFT_OUT or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        if p.name in named:
            if _is_number(named[p.name]):
                yield p.name, named
        elif p.default is not p.empty and _is_number(p.default):
            yield p.name, named


def names(chainer):
    """Yield all calls: what is called, the argument, and its odd value, by name."""
    for kind, module, table in (
            ('F', chainer.functions, FUNCTIONS), ('L', chainer.links, LINKS)):
        for name, args in table.items():
            function = getattr(module, name)
            args = args if kind == 'F' else args[0]
            for parameter, _ in _parameters(function, args):
                for value in VALUES:
                    if parameter not in _SIZES or value not in _LARGE:
                        yield '%s.%s %s=%s' % (kind, name, parameter, value)


def _variables(chainer, value, found):
    if isinstance(value, list):
        return [_variables(chainer, each, found) for each in value]
    if isinstance(value, np.ndarray) and value.dtype.kind == 'f' and value.ndim:
        found.append(chainer.Variable(value.copy()))
        return found[-1]
    return value


def _told(array):
    if array is None:
        return None
    values = np.asarray(array)
    if values.dtype.kind not in 'biuf':
        return [str(values.dtype), list(values.shape)]
    values = values.astype('d').ravel()
    return [str(np.asarray(array).dtype), list(np.shape(array)), [
        float('%.3g' % v) for v in (*values[:2], *values[-1:], values.sum())]]


def outcome(chainer, name):
    """Make a call; return the type of its exception, or its results and gradients."""
    what, _, rest = name.partition(' ')
    parameter, _, value = rest.partition('=')
    kind, _, function = what.partition('.')
    np.random.seed(0)
    xs = []
    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        try:
            if kind == 'F':
                called = getattr(chainer.functions, function)
                named = dict(next(v for p, v in _parameters(
                    called, FUNCTIONS[function]) if p == parameter))
                named = {k: _variables(chainer, v, xs) for k, v in named.items()}
                named[parameter] = VALUES[value]
                if function == 'add':
                    ys = called(*named.values())
                else:
                    ys = called(**named)
            else:
                called = getattr(chainer.links, function)
                made, given = LINKS[function]
                named = dict(next(v for p, v in _parameters(called, made)
                                  if p == parameter))
                named[parameter] = VALUES[value]
                ys = called(**named)(*[_variables(chainer, v, xs) for v in given])
        except Exception as error:
            return type(error).__name__
        ys = [y for y in (ys if isinstance(ys, (list, tuple)) else [ys])
              if isinstance(y, chainer.Variable)]
        results = [_told(y.array) for y in ys]
        try:
            if ys and ys[0].array.dtype.kind == 'f' and ys[0].creator is not None:
                ys[0].grad = np.ones_like(ys[0].array)
                ys[0].backward()
        except Exception as error:
            return results, 'backward: ' + type(error).__name__
        return results, [_told(x.grad) for x in xs]
