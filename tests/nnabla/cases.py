"""A small call of every public function, for the check of its derivatives.

``CASES`` maps names to pairs of a function of variables and the arrays to call it with.
The inputs stay away from kinks and poles by more than the steps of a difference. The
functions in ``SINGLE`` compute in float32 only.
"""
import numpy as np

from chainer_fast import functions as F
from tests.functions.gradients import spread, uniform

CASES = {}
SINGLE = set()


def case(name, f, *arrays):
    assert name not in CASES
    CASES[name] = f, arrays


def cases(names, f, *arrays):
    """Add functions that are called alike; ``f`` gets the function first."""
    for name in names.split():
        case(name, _bound(f, getattr(F, name)), *arrays)


def _bound(f, function):
    return lambda *xs: f(function, *xs)


def single(names, f, *arrays):
    """Add functions that take float32 only; differences need float64 around them."""
    for name in names.split():
        SINGLE.add(name)
        call = _bound(f, getattr(F, name))
        case(name, lambda x, call=call: F.cast(call(F.cast(x, 'f')), 'd'), *arrays)


def _plain(f, *xs):
    return f(*xs)


def _seeded(f):
    def seeded(*xs):
        state = np.random.get_state()
        np.random.seed(0)
        try:
            return f(*xs)
        finally:
            np.random.set_state(state)
    return seeded


def _regular(n, batch=()):
    return uniform((*batch, n, n)) + 2 * np.eye(n)


small = uniform((2, 3), 1)
other = uniform((2, 3), 2)
positive = uniform((2, 3), 3, low=.6, high=1.4)
apart = spread((2, 3)) / 2
labels = np.array([1, 0], 'i')
vector = uniform((3,), 4)
image = spread((1, 2, 4, 4)) / 8
line = spread((1, 2, 4)) / 4
volume = spread((1, 1, 2, 2, 2)) / 4

# Elementwise
cases('arccos arcsin arctan arctanh cos cosh erf erfc erfcx erfinv exp expm1 log_ndtr '
      'mish ndtr sigmoid sin sinh softplus square tan tanh', _plain, small * .8)
cases('digamma lgamma log log10 log1p log2 rsqrt sqrt erfcinv', _plain, positive)
case('ndtri', F.ndtri, positive - .5)
case('polygamma', lambda x: F.polygamma(np.array(2, 'i'), x), positive)
case('zeta', lambda q: F.zeta(np.full((2, 3), 2.5), q), positive)
cases('absolute ceil clipped_relu elu fix floor hard_sigmoid leaky_relu relu relu6 '
      'selu sign', _plain, apart)
case('clip', lambda x: F.clip(x, -.5, .6), apart)
cases('add arctan2 squared_difference squared_error', _plain, small, positive)
cases('absolute_error maximum minimum', _plain, apart, apart[::-1] + .05)
case('fmod', F.fmod, positive * 2, positive[::-1] * .7)
case('swish', F.swish, small, vector)
case('prelu', F.prelu, apart, vector)
case('rrelu', lambda x: F.rrelu(x, r=np.full((2, 3), .3)), apart)
case('crelu', F.crelu, apart)
case('maxout', lambda x: F.maxout(x, 3), apart)
case('linear_interpolate', F.linear_interpolate, positive, small, other)
case('identity', F.identity, small)
case('cast', lambda x: F.cast(F.cast(x, 'd'), 'd'), small)
case('copy', lambda x: F.copy(x, -1), small)
case('forget', lambda x: F.forget(F.sin, x), small)

# Softmax and its kind
cases('softmax log_softmax logsumexp', _plain, small)
case('gumbel_softmax', _seeded(lambda x: F.gumbel_softmax(x, tau=1.)), small)

# Shapes
case('as_strided', lambda x: F.as_strided(x, (2, 2), (1, 2)), vector.repeat(2))
case('broadcast', lambda x, y: F.broadcast(x, y), small, vector)
case('broadcast_to', lambda x: F.broadcast_to(x, (2, 3)), vector)
case('concat', lambda x, y: F.concat((x, y)), small, other)
case('stack', lambda x, y: F.stack((x, y)), small, other)
cases('dstack hstack vstack', lambda f, x, y: f((x, y)), small, other)
case('depth2space', lambda x: F.depth2space(x, 2), uniform((1, 4, 2, 2)))
case('space2depth', lambda x: F.space2depth(x, 2), uniform((1, 1, 4, 4)))
case('diagonal', F.diagonal, uniform((3, 3)))
case('expand_dims', lambda x: F.expand_dims(x, 1), small)
cases('flatten fliplr flipud separate transpose', _plain, small)
case('flip', lambda x: F.flip(x, 1), small)
case('get_item', lambda x: F.get_item(x, (slice(None), [0, 2, 2])), small)
case('moveaxis', lambda x: F.moveaxis(x, 0, 1), small)
case('rollaxis', lambda x: F.rollaxis(x, 1), small)
case('swapaxes', lambda x: F.swapaxes(x, 0, 1), small)
case('pad', lambda x: F.pad(x, 1, 'constant'), small)
case('pad_sequence', lambda x, y: F.pad_sequence([x, y]), vector, vector[:2])
case('permutate', lambda x: F.permutate(x, np.array([1, 0], 'i')), small)
case('repeat', lambda x: F.repeat(x, 2, 0), small)
case('reshape', lambda x: F.reshape(x, (3, 2)), small)
single('resize_images', lambda f, x: f(x, (3, 5)), image)
case('scatter_add', lambda a, b: F.scatter_add(a, [0, 0], b), small, other)
case('select_item', lambda x: F.select_item(x, labels), small)
case('shift', F.shift, uniform((1, 9, 3, 3)))
case('split_axis', lambda x: F.split_axis(x, 3, 1), small)
case('squeeze', F.squeeze, small[None])
case('tile', lambda x: F.tile(x, (2, 1)), small)
case('transpose_sequence', lambda x, y: F.transpose_sequence([x, y]), vector,
     vector[:2])
case('where', lambda x, y: F.where(small > 0, x, y), small, other)
case('im2col', lambda x: F.im2col(x, 3, pad=1), image)

# Sums, products and linear algebra
cases('sum mean cumsum average batch_l2_norm_squared', _plain, small)
cases('prod cumprod', _plain, positive)
cases('max min', lambda f, x: f(x, 1), apart)
cases('argmax argmin', lambda f, x: f(x, 1), apart)
case('sum_to', lambda x: F.sum_to(x, (1, 3)), small)
case('matmul', F.matmul, small, uniform((3, 2)))
case('batch_matmul', F.batch_matmul, uniform((2, 2, 3)), uniform((2, 3, 2)))
case('einsum', lambda x, y: F.einsum('ij,jk->ik', x, y), small, uniform((3, 2)))
case('tensordot', lambda x, y: F.tensordot(x, y, 1), small, uniform((3, 2)))
cases('det inv', _plain, _regular(3))
cases('batch_det batch_inv', _plain, _regular(3, (2,)))
case('cholesky', lambda x: F.cholesky(F.matmul(x, x, transb=True)), _regular(3))
case('fft', lambda x, y: F.fft((x, y)), small, other)
case('ifft', lambda x, y: F.ifft((x, y)), small, other)
case('bias', F.bias, small, vector)
case('scale', F.scale, small, vector)


def _sparse(x, y):
    from chainer_fast.utils import CooMatrix
    rows, columns = np.array([0, 0, 1], 'i'), np.array([0, 2, 1], 'i')
    matrix = CooMatrix(vector, rows, columns, (2, 3))
    matrix.data = x
    return F.sparse_matmul(matrix, y)


case('sparse_matmul', _sparse, vector, uniform((3, 2)))

# Layers
case('linear', F.linear, small, uniform((2, 3), 5), uniform((2,), 6))
case('bilinear', F.bilinear, small, other, uniform((3, 3, 2)), uniform((3, 2), 5),
     uniform((3, 2), 6), uniform((2,), 7))
case('embed_id', lambda W: F.embed_id(np.array([1, 1, 0], 'i'), W), small)
convolved = image, uniform((2, 2, 3, 3), 5), uniform((2,), 6)
cases('convolution_2d convolution_nd deconvolution_2d deconvolution_nd', _plain,
      *convolved)
case('dilated_convolution_2d', lambda x, W, b: F.dilated_convolution_2d(
    x, W, b, pad=1, dilate=2), *convolved)
cases('convolution_1d deconvolution_1d', _plain, line, uniform((2, 2, 3), 5),
      uniform((2,), 6))
cases('convolution_3d deconvolution_3d', _plain, volume, uniform((1, 1, 2, 2, 2), 5),
      uniform((1,), 6))
case('depthwise_convolution_2d', F.depthwise_convolution_2d, image,
     uniform((2, 2, 3, 3), 5), uniform((4,), 6))
case('local_convolution_2d', F.local_convolution_2d, image,
     uniform((1, 2, 2, 2, 3, 3), 5), uniform((1, 2, 2), 6))
case('deformable_convolution_2d_sampler', F.deformable_convolution_2d_sampler, image,
     uniform((1, 18, 2, 2), 7, low=.2, high=.4), *convolved[1:])

# Pooling
for _n, _x in (('1d', line), ('2d', image), ('3d', volume), ('nd', image)):
    cases('average_pooling_%s max_pooling_%s unpooling_%s' % (_n, _n, _n),
          lambda f, x: f(x, 2, 1), _x)
case('spatial_pyramid_pooling_2d', lambda x: F.spatial_pyramid_pooling_2d(
    x, 2, 'max'), image)
case('upsampling_2d', lambda x: F.upsampling_2d(
    x, np.array([[[[0, 1], [2, 3]]] * 2], 'i'), 2, outsize=(4, 4)), image[..., :2, :2])
rois = np.array([[.3, .2, 2.9, 2.8], [.1, .4, 3.2, 2.1]])
single('roi_average_align_2d roi_max_align_2d', lambda f, x: f(
    x, rois.astype('f'), np.array([0, 0], 'i'), 2, 1., 2), image)
cases('roi_average_pooling_2d roi_max_pooling_2d', lambda f, x: f(
    x, rois, np.array([0, 0], 'i'), 2, 1.), image)
case('roi_pooling_2d', lambda x: F.roi_pooling_2d(
    x, np.array([[0, 0, 0, 2, 3]], 'd'), 2, 2, 1.), image)
case('spatial_transformer_grid', lambda theta: F.spatial_transformer_grid(
    theta, (2, 2)), uniform((1, 2, 3)))
case('spatial_transformer_sampler', F.spatial_transformer_sampler, image,
     np.array([[-.4, .5], [.1, -.6]]).reshape(1, 1, 2, 2).repeat(2, 1))

# Normalization
gamma, beta = uniform((3,), 5, low=.5, high=1.5), uniform((3,), 6)
batch = uniform((5, 3), 7)
statistics = uniform((3,), 8), uniform((3,), 9, low=.5, high=1.5)
case('batch_normalization', F.batch_normalization, batch, gamma, beta)
case('fixed_batch_normalization', F.fixed_batch_normalization, batch, gamma, beta,
     *statistics)
case('batch_renormalization', lambda x, g, b: F.batch_renormalization(
    x, g, b, 1., 0., running_mean=np.zeros(3), running_var=np.ones(3)),
    batch, gamma, beta)
case('fixed_batch_renormalization', F.fixed_batch_renormalization, batch, gamma, beta,
     *statistics)
case('decorrelated_batch_normalization', lambda x: F.decorrelated_batch_normalization(
    x, groups=1), batch)
case('fixed_decorrelated_batch_normalization', lambda x:
     F.fixed_decorrelated_batch_normalization(x, np.zeros((1, 3)), np.eye(3)[None], 1),
     batch)
case('group_normalization', lambda x, g, b: F.group_normalization(x, 1, g, b),
     uniform((2, 3, 2)), gamma, beta)
case('layer_normalization', F.layer_normalization, small, gamma, beta)
case('local_response_normalization', lambda x: F.local_response_normalization(
    x, 3, alpha=.5), image)
case('normalize', F.normalize, small)

# Noise
case('dropout', lambda x: F.dropout(x, mask=np.array([[2., 0, 2], [0, 2, 2]])), small)
case('gaussian', lambda m, v: F.gaussian(m, v, eps=other), small, positive)
case('simplified_dropconnect', lambda x, W, b: F.simplified_dropconnect(
    x, W, b, mask=uniform((2, 2, 3)) > 0), small, uniform((2, 3), 5), uniform((2,), 6))
case('zoneout', _seeded(F.zoneout), small, other)

# Losses
case('bernoulli_nll', F.bernoulli_nll, positive - .5, small)
case('black_out', lambda x, W: F.black_out(
    x, labels, W, np.array([[2, 3], [3, 2]], 'i')), small, uniform((4, 3), 5))
case('connectionist_temporal_classification', lambda *xs:
     F.connectionist_temporal_classification(list(xs), np.array([[1], [2]], 'i'), 0),
     small, other, positive)
case('contrastive', lambda x, y: F.contrastive(x, y, labels, 3.), small, other)
case('crf1d', lambda cost, *xs: F.crf1d(cost, list(xs), [labels, labels]),
     uniform((3, 3)), small, other)
case('argmax_crf1d', lambda cost, *xs: F.argmax_crf1d(cost, list(xs))[0],
     uniform((3, 3)), small, other)
case('cross_covariance', F.cross_covariance, small, other)
case('decov', F.decov, batch)
case('discriminative_margin_based_clustering_loss', lambda x:
     sum(F.discriminative_margin_based_clustering_loss(
         x, np.array([[[0, 0], [1, 1]]], 'i'), .01, 9., 3)),
     uniform((1, 3, 2, 2)))
case('gaussian_kl_divergence', F.gaussian_kl_divergence, small, other)
case('gaussian_nll', F.gaussian_nll, small, other, positive)
case('hinge', lambda x: F.hinge(x, labels, 'L2'), small)
case('huber_loss', lambda x, y: F.huber_loss(x, y, 1.), apart, other / 8)
case('mean_absolute_error', F.mean_absolute_error, apart, apart[::-1] + .05)
case('mean_squared_error', F.mean_squared_error, small, other)
case('negative_sampling', lambda x, W: F.negative_sampling(
    x, labels, W, lambda shape: np.arange(np.prod(shape), dtype='i').reshape(shape) % 4,
    2), small, uniform((4, 3), 5))
case('sigmoid_cross_entropy', lambda x: F.sigmoid_cross_entropy(
    x, np.array([[0, 1, 1], [1, 0, -1]], 'i')), small)
case('softmax_cross_entropy', lambda x: F.softmax_cross_entropy(x, labels), small)
case('softmax_cross_entropy(enable_double_backprop=True)', lambda x:
     F.softmax_cross_entropy(x, labels, enable_double_backprop=True), small)
case('triplet', lambda x, y, z: F.triplet(x, y, z, 9.), small, other, positive)

# Evaluation
cases('accuracy classification_summary f1_score precision recall',
      lambda f, x: f(x, labels), small)
case('binary_accuracy', lambda x: F.binary_accuracy(
    x, (small > 0).astype('i')), other)
case('r2_score', lambda x: F.r2_score(x, other), small)

# Recurrent networks
case('lstm', F.lstm, small, uniform((2, 12), 5))
case('slstm', F.slstm, small, other, uniform((2, 12), 5), uniform((2, 12), 6))
case('tree_lstm', F.tree_lstm, small, other, uniform((2, 15), 5))


def _n_step(name, gates, directions, has_cells, **options):
    n = directions
    weights = [uniform((2, 3 if i < gates // 2 else 2), 10 + i)
               for _ in range(n) for i in range(gates)]
    biases = [uniform((2,), 20 + i) for i in range(n * gates)]
    states = [uniform((n, 2, 2), 30 + i) for i in range(1 + has_cells)]
    sequences = [uniform((2, 3), 40), uniform((1, 3), 41)]

    def call(*arrays):
        arrays = list(arrays)
        s, w, b = (arrays[:len(states)], arrays[len(states):][:n * gates],
                   arrays[len(states) + n * gates:][:n * gates])
        xs = arrays[-2:]
        per_layer = [w[i * gates:][:gates] for i in range(n)]
        b_per_layer = [b[i * gates:][:gates] for i in range(n)]
        *last, ys = getattr(F, name)(1, 0., *s, per_layer, b_per_layer, xs, **options)
        return (*last, *ys)

    case(name, call, *states, *weights, *biases, *sequences)


_n_step('n_step_lstm', 8, 1, True)
_n_step('n_step_bilstm', 8, 2, True)
_n_step('n_step_gru', 6, 1, False)
_n_step('n_step_bigru', 6, 2, False)
_n_step('n_step_rnn', 2, 1, False)
_n_step('n_step_birnn', 2, 2, False)
