"""The table of small programs, which call every compiled form.

A program has arrays and a function of them. Floats become variables, and integers that
are arguments of the graph do so as well. Every way through the package has to lead to
the same results (:mod:`tests.ways`), and the fuzzer changes what a program holds while
it runs (:mod:`tests.fuzz`).
"""
import dataclasses
from collections.abc import Callable

import numpy as np

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast.functions.loss import _candidates
from chainer_fast.utils import walker_alias


@dataclasses.dataclass
class Program:
    """A computation.

    Parameters
    ----------
    arrays : list of numpy.ndarray
        Inputs.
    compute : callable
        ``compute(*variables)`` returns the output, or a list of outputs.
    """

    arrays: list
    compute: Callable


#: Makers of programs by name.
MAKERS: dict[str, Callable] = {}


def program(compute, *makers, name=None):
    """File a program; each maker gives an array of a random state."""
    def make(random):
        return Program([maker(random) for maker in makers], compute)
    MAKERS[name or compute.__name__] = make


def floats(*shape, dtype='f'):
    return lambda random: random.uniform(-1, 1, shape).astype(dtype)


def positive(*shape, dtype='f'):
    return lambda random: random.uniform(.5, 2, shape).astype(dtype)


def definite(n, dtype='f'):
    """Return a maker of symmetric, positive definite matrices of length ``n``."""
    def make(random):
        x = random.uniform(-1, 1, (n, n))
        return (x + x.T + 2 * n * np.eye(n)).astype(dtype)
    return make


def integers(high, *shape, low=0, dtype='i'):
    return lambda random: random.randint(low, high, shape).astype(dtype)


def numbers(values, dtype='i'):
    return lambda random: np.array(values, dtype)


def each(names, *makers):
    for name in names.split():
        program(getattr(F, name), *makers, name=name)


# -- elementwise functions and reductions

each('relu sigmoid tanh exp softplus hard_sigmoid elu leaky_relu clipped_relu softmax '
     'log_softmax selu crelu absolute average sum cos log_ndtr erf expm1 max min '
     'argmax argmin cumsum cumprod logsumexp normalize flatten transpose rrelu '
     'gumbel_softmax sin arctan sinh cosh square prod',
     floats(3, 4))
program(lambda x: F.tan(x * .1) + F.arcsin(F.sin(x) * .9) + F.arccos(F.cos(x) * .9),
        floats(3, 4), name='inverse functions')
program(F.log1p, positive(5, 3), name='log1p of positive numbers')
program(F.sqrt, positive(5, 3), name='sqrt of positive numbers')
program(F.digamma, positive(5, 3), name='digamma of positive numbers')
program(F.log, positive(5, 3), name='log of positive numbers')
program(lambda x, y: x + y, floats(3, 4), floats(3, 4), name='add')
program(lambda x, y: x - y * 2 + 1, floats(40), floats(40), name='sub')
program(lambda x, y: x * y, floats(3, 4), floats(3, 4), name='mul')
program(lambda x, y: x / y, floats(3, 4), positive(3, 4), name='div')
program(lambda x: 3 - (-x) ** 2, floats(2, 3, 4), name='constants')
program(lambda x, y: F.relu(x * y + x) * F.tanh(y) - x, floats(3, 4), floats(3, 4),
        name='several')
program(lambda x: F.sum(x, axis=1), floats(3, 4, 2, dtype='d'), name='sum of an axis')
program(lambda x: F.mean(x, axis=0), floats(3, 4), name='mean of an axis')
program(lambda x: F.sum(x, axis=(0, 2), keepdims=True), floats(3, 4, 2),
        name='sum of two axes')
program(lambda x, y: x + y, floats(3, 4), floats(4), name='add of a row')
program(lambda x, y: x * y - y, floats(3, 4), floats(3, 1), name='mul by a column')
program(lambda x, y: x / y, positive(4), positive(3, 4), name='div by rows')
program(lambda x: x * np.float64(2) / np.float32(3) + np.ones((3, 4)), floats(3, 4),
        name='constants of NumPy')
program(lambda x: 1 / x + F.broadcast_to(x, (2, 3, 4)), positive(3, 4),
        name='broadcast_to')
program(lambda x: F.softmax(x, axis=2), floats(2, 3, 4, 2, dtype='d'),
        name='softmax of an axis')
program(F.prelu, floats(4, 3), floats(3), name='prelu')
program(F.swish, floats(4, 3), floats(3), name='swish')
program(lambda x: F.maxout(x, 3), floats(4, 6), name='maxout')
program(lambda x: F.dropout(x, .4), floats(5, 7), name='dropout')
program(lambda x: F.gaussian(x, x), floats(5, 7), name='gaussian')
program(F.zoneout, floats(5, 4), floats(5, 4), name='zoneout')
program(lambda x, y: F.where(np.arange(12).reshape(3, 4) % 3 > 0, x, y),
        floats(3, 4), floats(3, 4), name='where')
program(lambda x, i: F.select_item(x, i), floats(4, 5), integers(5, 4),
        name='select_item')

# -- arrays

program(lambda x, y: F.concat([x, y], 1), floats(3, 4), floats(3, 2), name='concat')
program(lambda x: F.reshape(x, (2, 6)), floats(3, 4), name='reshape')
program(lambda x: F.split_axis(x, 2, 1), floats(3, 4), name='split_axis')
program(F.separate, floats(3, 4), name='separate')
program(lambda x: F.separate(x, 1), floats(3, 4), name='separate columns')
program(lambda x: x[:, 1:3], floats(3, 4), name='get_item')
program(lambda x: F.swapaxes(F.expand_dims(x, 1), 0, 2), floats(3, 4), name='swapaxes')
program(lambda x: F.squeeze(x, 1), floats(3, 1, 4), name='squeeze')
program(lambda x: F.pad(x, 1, 'constant'), floats(3, 4), name='pad')
program(lambda *xs: F.pad_sequence(xs, padding=-1), floats(3, 2), floats(2, 2),
        floats(4, 2), name='pad_sequence')
program(lambda *xs: F.transpose_sequence(xs), floats(4, 2), floats(3, 2), floats(1, 2),
        name='transpose_sequence')
program(lambda *xs: F.stack(xs), floats(3, 2), floats(3, 2), name='stack')
program(lambda x: F.im2col(x, 2, 2, 1), floats(2, 3, 4, 4), name='im2col')
program(lambda x: F.resize_images(x, (5, 3)), floats(2, 3, 4, 4), name='resize_images')
program(F.spatial_transformer_sampler, floats(2, 3, 4, 5), floats(2, 2, 3, 3),
        name='spatial_transformer_sampler')
program(lambda t, x: F.spatial_transformer_sampler(
    x, F.spatial_transformer_grid(t, (3, 3))), floats(2, 2, 3), floats(2, 3, 4, 5),
    name='spatial_transformer')
program(lambda x: F.depth2space(x, 2), floats(2, 4, 3, 3), name='depth2space')
program(lambda x, i: F.permutate(x, i), floats(4, 3), numbers([2, 0, 3, 1]),
        name='permutate')
program(lambda x: F.tile(x, (2, 1)), floats(3, 4), name='tile')
program(lambda x: F.repeat(x, 2, 0), floats(3, 4), name='repeat')

# -- products

program(F.linear, floats(4, 3), floats(5, 3), floats(5), name='linear')
program(F.linear, floats(2, 50), floats(60, 50), name='linear without bias')
program(F.matmul, floats(4, 3), floats(3, 5), name='matmul')
program(lambda a, b: F.matmul(a, b, transa=True, transb=True), floats(3, 4, dtype='d'),
        floats(5, 3, dtype='d'), name='matmul of transposes')
program(F.matmul, floats(2, 40, 41), floats(2, 41, 42), name='matmul of batches')
program(F.bilinear, floats(4, 3), floats(4, 2), floats(3, 2, 5), name='bilinear')
program(lambda a, b: F.einsum('bij,bjk->bik', a, b), floats(2, 3, 4), floats(2, 4, 5),
        name='einsum')
program(F.batch_l2_norm_squared, floats(3, 4), name='batch_l2_norm_squared')


def _sparse(row, col, transposed=False):
    def compute(data, dense):
        matrix = chainer.utils.CooMatrix(
            data.array, np.array(row, 'i'), np.array(col, 'i'), (3, 3),
            requires_grad=True)
        return F.sparse_matmul(matrix, dense, transa=transposed)
    return compute


program(_sparse([0, 2, 1, -1], [1, 0, 2, -1]), floats(4), floats(3, 5),
        name='sparse_matmul')
program(_sparse([0, 2, 1, -1], [1, 0, 2, -1], True), floats(4), floats(3, 5),
        name='sparse_matmul of a transpose')
program(_sparse([[0, 2, 1, -1], [1, 1, 0, 2]], [[1, 0, 2, -1], [0, 1, 2, 2]]),
        floats(2, 4), floats(2, 3, 5), name='sparse_matmul of batches')

# -- convolution and pooling

_images = floats(2, 3, 6, 5)
program(lambda x, w, b: F.convolution_2d(x, w, b, stride=2, pad=1), _images,
        floats(4, 3, 3, 3), floats(4), name='convolution_2d')
program(lambda x, w: F.convolution_2d(x, w, pad=1), floats(2, 16, 12, 12),
        floats(16, 16, 3, 3), name='convolution_2d by tiles')
program(lambda x, w: F.convolution_2d(x, w, groups=2), floats(2, 4, 5, 5, dtype='d'),
        floats(6, 2, 3, 3, dtype='d'), name='convolution_2d in groups')
program(lambda x, w: F.dilated_convolution_2d(x, w, dilate=2), _images,
        floats(4, 3, 2, 2), name='dilated_convolution_2d')
program(lambda x, w, b: F.deconvolution_2d(x, w, b, stride=2, pad=1), _images,
        floats(3, 4, 4, 4), floats(4), name='deconvolution_2d')
program(lambda x, w, b: F.convolution_nd(x, w, b), floats(2, 3, 7), floats(4, 3, 3),
        floats(4), name='convolution_1d')
program(lambda x, w: F.convolution_nd(x, w, pad=1), floats(1, 2, 4, 4, 4),
        floats(2, 2, 3, 3, 3), name='convolution_3d')
program(lambda x, w: F.deconvolution_nd(x, w), floats(1, 2, 4, 4, 4),
        floats(2, 2, 3, 3, 3), name='deconvolution_3d')
program(F.depthwise_convolution_2d, _images, floats(2, 3, 3, 3),
        name='depthwise_convolution_2d')
program(lambda x, o, w: F.deformable_convolution_2d_sampler(x, o, w),
        floats(1, 2, 5, 5), floats(1, 18, 3, 3), floats(3, 2, 3, 3),
        name='deformable_convolution_2d')
program(lambda x, w: F.local_convolution_2d(x, w), floats(1, 2, 4, 4),
        floats(3, 2, 2, 2, 3, 3), name='local_convolution_2d')
program(lambda x: F.max_pooling_2d(x, 3, 2, 1), _images, name='max_pooling_2d')
program(lambda x: F.max_pooling_2d(F.max_pooling_2d(x, 2), 2), floats(2, 3, 8, 8),
        name='max_pooling_2d twice')
program(lambda x: F.average_pooling_2d(x, 3, 2, 1), _images, name='average_pooling_2d')
program(lambda x: F.average_pooling_nd(x, 2, pad=1, pad_value=None),
        floats(2, 3, 6, dtype='d'), name='average_pooling_nd')
program(lambda x: F.max_pooling_nd(x, 2), floats(1, 2, 4, 4, 4), name='max_pooling_3d')
program(lambda x: F.unpooling_2d(x, 2), _images, name='unpooling_2d')
program(lambda x: F.unpooling_nd(x, 2), floats(2, 3, 5), name='unpooling_1d')
program(lambda x: F.spatial_pyramid_pooling_2d(x, 2, 'max'), floats(1, 2, 5, 5),
        name='spatial_pyramid_pooling_2d')


def _upsampling(x):
    y, indexes = F.max_pooling_2d(x, 2, return_indices=True, cover_all=False)
    return F.upsampling_2d(y, indexes, 2, outsize=x.shape[2:])


program(_upsampling, floats(2, 3, 6, 4), name='upsampling_2d')

_rois = numbers([[0, 0, 0, 3, 3], [1, 1, 1, 4, 3], [1, 0, 2, 2, 4]], 'f')
_boxes = numbers([[0, 0, 3, 3], [1, 1, 4, 3], [0, 2, 2, 4]], 'f')
_owners = numbers([0, 1, 1])
program(lambda x, r: F.roi_pooling_2d(x, r, 2, 2, 1.), floats(2, 3, 5, 5), _rois,
        name='roi_pooling_2d')
for _f in (F.roi_average_pooling_2d, F.roi_max_pooling_2d, F.roi_average_align_2d,
           F.roi_max_align_2d):
    program(lambda x, r, i, f=_f: f(x, r, i, (2, 3), 1.), floats(2, 3, 5, 5), _boxes,
            _owners, name=_f.__name__)

# -- normalization

program(F.batch_normalization, floats(4, 3), floats(3), floats(3),
        name='batch_normalization')
program(F.batch_normalization, floats(3, 2, 4, 4), floats(2), floats(2),
        name='batch_normalization of images')


def _running(x, gamma, beta, mean, var):
    return F.batch_normalization(
        x, gamma, beta, running_mean=mean.array, running_var=var.array)


program(_running, floats(4, 3), floats(3), floats(3), floats(3), positive(3),
        name='batch_normalization with statistics')
program(F.fixed_batch_normalization, floats(4, 3), floats(3), floats(3), floats(3),
        positive(3), name='fixed_batch_normalization')
program(lambda x, g, b, m, v: F.batch_renormalization(
    x, g, b, .1, .1, running_mean=m.array, running_var=v.array), floats(4, 3),
    floats(3), floats(3), floats(3), positive(3), name='batch_renormalization')
program(lambda x: F.decorrelated_batch_normalization(x, groups=1), floats(8, 3),
        name='decorrelated_batch_normalization')
program(F.layer_normalization, floats(4, 3), floats(3), floats(3),
        name='layer_normalization')
program(lambda x, g, b: F.group_normalization(x, 2, g, b), floats(2, 4, 3, 3),
        floats(4), floats(4), name='group_normalization')
program(F.local_response_normalization, floats(2, 6, 3, 3),
        name='local_response_normalization')

# -- recurrent networks

program(F.lstm, floats(3, 4), floats(3, 16), name='lstm')
program(F.lstm, floats(3, 4), floats(2, 16), name='lstm of fewer samples')
program(F.slstm, floats(3, 4), floats(3, 4), floats(3, 16), floats(3, 16), name='slstm')
program(F.tree_lstm, floats(3, 4), floats(3, 4), floats(3, 20), name='tree_lstm')


def _n_step(name, gates, states, n, m, dtype):
    def compute(*vs):
        vs = list(vs)
        hs = vs[:states]
        ws, bs = vs[states:states + 2 * gates], vs[states + 2 * gates:][:2 * gates]
        xs = vs[states + 4 * gates:]
        *last, ys = getattr(F, name)(1, 0., *hs, [ws], [bs], xs)
        return [*last, *ys]
    program(
        compute, *[floats(1, 3, n, dtype=dtype)] * states,
        *[floats(n, m, dtype=dtype)] * gates, *[floats(n, n, dtype=dtype)] * gates,
        *[floats(n, dtype=dtype)] * (2 * gates),
        floats(3, m, dtype=dtype), floats(2, m, dtype=dtype), floats(1, m, dtype=dtype),
        name='%s %d %s' % (name, n, dtype))


for _name, _gates, _states in [
        ('n_step_lstm', 4, 2), ('n_step_gru', 3, 1), ('n_step_rnn', 1, 1)]:
    for _n, _dtype in [(8, 'f'), (3, 'f'), (4, 'd')]:
        _n_step(_name, _gates, _states, _n, 5, _dtype)
program(lambda h, w1, w2, w3, w4, b1, b2, b3, b4, x1, x2: F.n_step_birnn(
    1, 0., h, [[w1, w2], [w3, w4]], [[b1, b2], [b3, b4]], [x1, x2])[1],
    floats(2, 2, 4), *[floats(4, 4)] * 4, *[floats(4)] * 4, floats(2, 4), floats(2, 4),
    name='n_step_birnn')

# -- losses

program(F.softmax_cross_entropy, floats(4, 5), integers(5, 4, low=-1),
        name='softmax_cross_entropy')
program(lambda x, t: F.softmax_cross_entropy(
    x, t, class_weight=np.linspace(1, 2, 3).astype('f'), reduce='no'),
    floats(2, 3, 4), integers(3, 2, 4), name='softmax_cross_entropy with weights')
program(lambda x, t: F.softmax_cross_entropy(x, F.softmax(t)), floats(4, 5),
        floats(4, 5), name='softmax_cross_entropy of probabilities')
program(lambda x, t: F.softmax_cross_entropy(x, t, enable_double_backprop=True),
        floats(4, 5), integers(5, 4), name='differentiable softmax_cross_entropy')
program(F.sigmoid_cross_entropy, floats(4, 5), integers(2, 4, 5, low=-1),
        name='sigmoid_cross_entropy')
program(lambda x, t: F.sigmoid_cross_entropy(x, t, reduce='no'), floats(4, 5),
        integers(2, 4, 5, low=-1), name='sigmoid_cross_entropy of each')
program(F.hinge, floats(4, 5), integers(5, 4), name='hinge')
program(F.accuracy, floats(4, 5), integers(5, 4), name='accuracy')
program(lambda x, y: F.mean_squared_error(x, y) + F.mean_absolute_error(x, y)
        + F.sum(F.huber_loss(x, y, .5)) + F.sum(F.absolute_error(x, y)), floats(4, 5),
        floats(4, 5), name='errors')
program(lambda x0, x1: F.contrastive(x0, x1, np.array([0, 1, 1], 'i')), floats(3, 4),
        floats(3, 4), name='contrastive')
program(F.triplet, floats(3, 4), floats(3, 4), floats(3, 4), name='triplet')
program(lambda *xs: F.connectionist_temporal_classification(
    xs, np.array([[1, 2], [3, 3]], 'i'), 0), *[floats(2, 5)] * 6, name='ctc')
program(lambda t, *xs: F.connectionist_temporal_classification(
    xs, t, 0, np.array([4, 3], 'i'), np.array([2, 1], 'i')),
    integers(4, 2, 2, low=1), *[floats(2, 5)] * 4, name='ctc with lengths')
program(lambda w, y0, y1, y2, *xs: F.crf1d(w, xs, [y0, y1, y2]), floats(3, 3),
        integers(3, 3), integers(3, 2), integers(3, 2), floats(3, 3), floats(2, 3),
        floats(2, 3), name='crf1d')
program(lambda w, *xs: F.argmax_crf1d(w, xs)[0], floats(3, 3, dtype='d'),
        floats(3, 3, dtype='d'), floats(2, 3, dtype='d'), name='argmax_crf1d')
program(F.embed_id, integers(7, 2, 3), floats(7, 4), name='embed_id')
program(lambda i, w: F.embed_id(i, w, ignore_label=-1),
        integers(2000, 6, low=-1, dtype='l'), floats(2000, 40),
        name='embed_id of few rows')

_SAMPLER = walker_alias.WalkerAlias(np.arange(1, 8))
_WIDE = walker_alias.WalkerAlias(np.ones(2000))
program(lambda x, t, w: F.negative_sampling(x, t, w, _SAMPLER.sample, 3), floats(3, 4),
        integers(7, 3), floats(7, 4), name='negative_sampling')
program(lambda x, t, w: F.negative_sampling(x, t, w, _WIDE.sample, 3), floats(3, 40),
        integers(2000, 3, low=-1), floats(2000, 40),
        name='negative_sampling of few rows')
program(lambda x, i, w: _candidates.Scores(i.array).apply((x, w))[0], floats(3, 4),
        integers(7, 3, 2, dtype='l'), floats(7, 4), name='scores')
program(lambda x, i, w: _candidates.Scores(
    i.array, np.array([True, False, True])).apply((x, w))[0], floats(3, 4),
    integers(7, 3, 2, dtype='l'), floats(7, 4), name='scores of some')
program(lambda x, t: L.BinaryHierarchicalSoftmax(4, ((0, 1), ((2, 3), 4)))(x, t),
        floats(3, 4), integers(5, 3), name='hierarchical_softmax')
program(lambda x, t: L.BlackOut(4, [1, 2, 3, 4], 2)(x, t), floats(3, 4), integers(4, 3),
        name='black_out')

#: Programs that have arrays of NumPy's own beside their variables, which Chainer does
#: not take where these are ChainerX's.
WITH_NUMPY = {
    'constants of NumPy', 'contrastive', 'ctc', 'ctc with lengths',
    'hierarchical_softmax', 'black_out'}
program(F.linear_interpolate, floats(4, 5), floats(4, 5), floats(4, 5),
        name='linear_interpolate')
each('inv cholesky', definite(66))
each('det', definite(66))
program(lambda x: x * F.sign(x), floats(3, 4), name='sign')
program(F.squared_error, floats(4, 5), floats(4, 5), name='squared_error')
