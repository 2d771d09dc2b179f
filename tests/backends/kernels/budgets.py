"""Budgets: how many launches a step may take on a GPU; the host must not wait for it.

A row of ``BUDGETS`` is a name, a step, and the most launches forward and backward. The
step gets :class:`Inputs`, whose methods make variables, arrays and links on the GPU,
and returns a function without arguments: the forward pass, which gives a variable, or
some in a tuple. What it does before that is not counted.
"""
import functools

import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L

partial = functools.partial


class Inputs:
    """Makes what a step needs, on a device."""

    def __init__(self, device, dtype):
        self.device = device
        self.dtype = dtype
        self.random = np.random.RandomState(0)

    def array(self, *shape):
        """Floats between 0.1 and 0.9."""
        return self.device.send(self.random.uniform(.1, .9, shape).astype(self.dtype))

    def variable(self, *shape):
        return chainer.Variable(self.array(*shape))

    def integers(self, shape, high, low=0):
        return self.device.send(self.random.randint(low, high, shape).astype('i'))

    def link(self, make, *args, **kwargs):
        """A link with parameters in the dtype."""
        with chainer.using_config('dtype', np.dtype(self.dtype)):
            link = self.device.send(make(*args, **kwargs))
        link.cleargrads()
        return link


def _of_one(function, *shape):
    return lambda new: partial(function, new.variable(*shape or (3, 4)))


def _of_two(function, *shape):
    return lambda new: partial(
        function, new.variable(*shape or (3, 4)), new.variable(*shape or (3, 4)))


ACTIVATIONS = [
    *[(f.__name__, _of_one(f), 1, 1) for f in (
        F.relu, F.relu6, F.clipped_relu, F.leaky_relu, F.elu, F.sigmoid, F.tanh,
        F.hard_sigmoid, F.softplus, F.crelu)],
    ('maxout', lambda new: partial(F.maxout, new.variable(3, 4), 2), 1, 1),
    # The gradient of the parameter is summed over all samples.
    ('prelu', lambda new: partial(F.prelu, new.variable(3, 4), new.variable(4)), 1, 2),
    ('swish', lambda new: partial(F.swish, new.variable(3, 4), new.variable(4)), 1, 2),
    # The scale is a function of its own, as users and hooks see in the graph.
    ('selu', _of_one(F.selu), 2, 2),
    ('rrelu', _of_one(F.rrelu), 2, 1),
    ('logsumexp', _of_one(lambda x: F.logsumexp(x, axis=1)), 1, 1),
    ('softmax', _of_one(F.softmax, 3, 4, 5), 2, 2),
    ('log_softmax', _of_one(F.log_softmax, 3, 4, 5), 2, 2),
]

NOISE = [
    ('dropout', _of_one(F.dropout), 2, 1),
    ('zoneout', _of_two(F.zoneout), 2, 1),
    ('gaussian', _of_two(F.gaussian), 2, 1),
]

ARITHMETIC = [
    *[(f.__name__, _of_one(f), 1, 1) for f in (
        F.exp, F.log, F.log2, F.log10, F.expm1, F.log1p, F.sqrt, F.rsqrt, F.square,
        F.sin, F.cos, F.tan, F.arcsin, F.arccos, F.arctan, F.sinh, F.cosh, F.arctanh,
        F.erf, F.erfc, F.erfcx, F.erfinv, F.erfcinv, F.ndtr, F.ndtri)],
    ('x + 2', _of_one(lambda x: x + 2), 1, 0),
    ('2 - x', _of_one(lambda x: 2 - x), 1, 1),
    ('x * 2', _of_one(lambda x: x * 2), 1, 1),
    ('2 / x', _of_one(lambda x: 2 / x), 1, 1),
    ('x ** 3', _of_one(lambda x: x ** 3), 1, 1),
    ('3 ** x', _of_one(lambda x: 3 ** x), 1, 1),
    ('-x', _of_one(lambda x: -x), 1, 1),
    ('abs', _of_one(abs), 1, 1),
    ('x + y', _of_two(lambda x, y: x + y), 1, 0),
    ('x - y', _of_two(lambda x, y: x - y), 1, 1),
    ('x * y', _of_two(lambda x, y: x * y), 1, 2),
    ('x / y', _of_two(lambda x, y: x / y), 1, 1),
    ('x ** y', _of_two(lambda x, y: x ** y), 1, 1),
    ('linear_interpolate', lambda new: partial(F.linear_interpolate, *[
        new.variable(3, 4) for _ in range(3)]), 1, 1),
]


def _labels(new, function, **options):
    """A function of scores and labels, of which some are ignored."""
    return partial(
        function, new.variable(6, 5), new.integers(6, 5, low=-1), **options)


def _soft_labels(new, loss):
    t = F.softmax(new.array(6, 5)).array
    return partial(
        F.softmax_cross_entropy, new.variable(6, 5), t, soft_target_loss=loss)


def _negative_sampling(new):
    loss = new.link(L.NegativeSampling, 4, [3, 1, 2, 5, 1], 2)
    return partial(loss, new.variable(6, 4), new.integers(6, 5, low=-1))


def _hierarchical_softmax(new):
    counts = {0: 5, 1: 3, 2: 4, 3: 1}
    loss = new.link(
        L.BinaryHierarchicalSoftmax, 4,
        L.BinaryHierarchicalSoftmax.create_huffman_tree(counts))
    return partial(loss, new.variable(6, 4), new.integers(6, 4))


def _ctc(times, new):
    xs = [new.variable(2, 5) for _ in range(times)]
    return partial(
        F.connectionist_temporal_classification, xs, new.integers((2, 2), 5, low=1), 0)


def _crf(times, new):
    xs = [new.variable(3, 5) for _ in range(times)]
    return partial(
        F.crf1d, new.variable(5, 5), xs, [new.integers(3, 5) for _ in xs])


LOSSES = [
    ('softmax_cross_entropy', lambda new: _labels(new, F.softmax_cross_entropy), 2, 1),
    ('softmax_cross_entropy, no cache', lambda new: _labels(
        new, F.softmax_cross_entropy, cache_score=False), 2, 2),
    ('softmax_cross_entropy, by samples', lambda new: _labels(
        new, F.softmax_cross_entropy, normalize=False), 2, 1),
    ('softmax_cross_entropy, class weights', lambda new: _labels(
        new, F.softmax_cross_entropy, class_weight=new.array(5)), 2, 1),
    ('softmax_cross_entropy, each', lambda new: _labels(
        new, F.softmax_cross_entropy, reduce='no'), 1, 1),
    ('softmax_cross_entropy, pixels', lambda new: partial(
        F.softmax_cross_entropy, new.variable(2, 3, 4, 5),
        new.integers((2, 4, 5), 3, low=-1)), 2, 1),
    ('softmax_cross_entropy, twice', lambda new: _labels(
        new, F.softmax_cross_entropy, class_weight=new.array(5),
        enable_double_backprop=True), 8, 5),
    ('soft labels', lambda new: _soft_labels(new, 'cross-entropy'), 2, 1),
    ('soft labels, divergence', lambda new: _soft_labels(new, 'kl-divergence'), 2, 1),
    # With two arrays, the second gradient is the negative of the first.
    ('mean_squared_error', _of_two(F.mean_squared_error), 1, 2),
    ('mean_absolute_error', _of_two(F.mean_absolute_error), 2, 2),
    ('absolute_error', _of_two(F.absolute_error), 2, 2),
    ('huber_loss', _of_two(lambda x, t: F.huber_loss(x, t, 1.)), 1, 2),
    ('sigmoid_cross_entropy', lambda new: partial(
        F.sigmoid_cross_entropy, new.variable(6, 5), new.integers((6, 5), 2, low=-1)),
     1, 1),
    ('hinge', lambda new: partial(F.hinge, new.variable(6, 5), new.integers(6, 5)),
     1, 1),
    *[('ctc, %d times' % n, functools.partial(_ctc, n), 2 * n + 14, 2)
      for n in (3, 4)],
    *[('crf1d, %d times' % n, functools.partial(_crf, n), 3 * n + 5, 3 * n + 3)
      for n in (2, 3)],
    ('negative_sampling', _negative_sampling, 5, 4),
    ('hierarchical_softmax', _hierarchical_softmax, 3, 4),
]

LOOK_UPS = [
    ('select_item', lambda new: partial(
        F.select_item, new.variable(6, 5), new.integers(6, 5)), 1, 1),
    ('embed_id', lambda new: partial(
        new.link(L.EmbedID, 5, 4), new.integers((2, 3), 5)), 1, 2),
    ('embed_id, some ignored', lambda new: partial(
        new.link(L.EmbedID, 5, 4, ignore_label=-1), new.integers((2, 3), 5, low=-1)),
     1, 2),
]

EVALUATION = [
    ('accuracy', lambda new: _labels(new, F.accuracy), 2, 0),
    ('accuracy, some ignored', lambda new: _labels(
        new, F.accuracy, ignore_label=-1), 2, 0),
    ('binary_accuracy', lambda new: partial(
        F.binary_accuracy, new.variable(6), new.integers(6, 2)), 1, 0),
    ('classification_summary', lambda new: _labels(
        new, F.classification_summary, label_num=5), 4, 0),
]


def _batch_normalization(new, *lengths):
    return partial(
        F.batch_normalization, new.variable(4, 3, *lengths or (5,)), new.variable(3),
        new.variable(3), running_mean=new.array(3), running_var=new.array(3))


NORMALIZATION = [
    ('batch_normalization', _batch_normalization, 2, 2),
    ('batch_normalization of many terms', lambda new: _batch_normalization(
        new, 120, 100), 3, 3),
    ('fixed_batch_normalization', lambda new: partial(
        F.fixed_batch_normalization, new.variable(4, 3, 5),
        *[new.variable(3) for _ in range(4)]), 2, 3),
    *[('layer_normalization' + name, lambda new, rows=rows: partial(
        F.layer_normalization, new.variable(rows, 40), new.variable(40),
        new.variable(40)), 2, backward) for name, rows, backward in (
            ('', 4, 3), (' of many rows', 2048, 4))],
    ('group_normalization', lambda new: partial(
        F.group_normalization, new.variable(4, 6, 5), 2, new.variable(6),
        new.variable(6)), 2, 3),
    ('normalize', _of_one(F.normalize), 2, 2),
    ('local_response_normalization', _of_one(F.local_response_normalization, 2, 5, 3),
     1, 1),
]


def _n_step(function, gates, n_states, steps):
    """A recurrent layer of which only the number of steps varies."""
    def step(new):
        states = [new.variable(1, 4, 3) for _ in range(n_states)]
        weights = [[new.variable(3, 3) for _ in range(2 * gates)]]
        biases = [[new.variable(3) for _ in range(2 * gates)]]
        xs = [new.variable(max(4 - k, 1), 3) for k in range(steps)]

        def forward():
            *last, ys = function(1, 0., *states, weights, biases, xs)
            return *last, *ys
        return forward
    return step


# A step is two launches. All else does not depend on the number of steps, as long as
# there are few: a launch joins their inputs, and another their gradients; one copies
# parameters and states, a product and an addition project all inputs.
RECURRENT = [
    ('lstm', lambda new: partial(
        F.lstm, new.variable(3, 4), new.variable(3, 16)), 1, 1),
    ('lstm, shorter sequences', lambda new: partial(
        F.lstm, new.variable(3, 4), new.variable(2, 16)), 1, 1),
    ('slstm', lambda new: partial(
        F.slstm, new.variable(3, 4), new.variable(3, 4), new.variable(3, 16),
        new.variable(3, 16)), 1, 1),
    ('tree_lstm', lambda new: partial(
        F.tree_lstm, new.variable(3, 4), new.variable(3, 4), new.variable(3, 20)),
     1, 1),
    *[('%s, %d steps' % (function.__name__, steps), _n_step(
        function, gates, n_states, steps), forward + 2 * steps, backward + 2 * steps)
      for function, gates, n_states, forward, backward in (
          (F.n_step_lstm, 4, 2, 4, 7), (F.n_step_gru, 3, 1, 4, 9),
          (F.n_step_rnn, 1, 1, 4, 7)) for steps in (2, 6)],
]

POOLING = [
    ('max_pooling_2d', lambda new: partial(
        F.max_pooling_2d, new.variable(2, 3, 7, 8), 3, 2), 1, 1),
    ('max_pooling_3d', lambda new: partial(
        F.max_pooling_3d, new.variable(1, 2, 4, 5, 6), 2), 1, 1),
    ('average_pooling_2d', lambda new: partial(
        F.average_pooling_2d, new.variable(2, 3, 7, 8), 3, 2, 1), 1, 1),
    ('average_pooling_nd, without padding', lambda new: partial(
        F.average_pooling_nd, new.variable(2, 3, 7, 8), 3, 2, 1, None), 1, 1),
    ('unpooling_2d', lambda new: partial(
        F.unpooling_2d, new.variable(2, 3, 4, 5), 3, 2, 1), 1, 1),
    ('upsampling_2d', lambda new: partial(
        F.upsampling_2d, new.variable(1, 2, 2, 2), new.integers((1, 2, 2, 2), 4), 2),
     1, 1),
]

REGIONS = [
    # Numbers of images and corners of boxes are parts of one array.
    ('roi_pooling_2d', lambda new: partial(
        F.roi_pooling_2d, new.variable(2, 3, 7, 8), new.array(4, 5), 2, 2, 8.), 3, 2),
    *[(function.__name__, lambda new, function=function: partial(
        function, new.variable(2, 3, 7, 8), 8 * new.array(4, 4),
        new.integers((4,), 2), 2, .5), 1, 1) for function in (
            F.roi_max_pooling_2d, F.roi_average_pooling_2d, F.roi_max_align_2d,
            F.roi_average_align_2d)],
]

# Gradients of pixels are added to zeros.
INTERPOLATION = [
    ('resize_images', lambda new: partial(
        F.resize_images, new.variable(2, 3, 4, 5), (6, 7)), 2, 3),
    ('spatial_transformer_grid', lambda new: partial(
        F.spatial_transformer_grid, new.variable(2, 2, 3), (4, 5)), 2, 2),
    ('spatial_transformer_sampler', lambda new: partial(
        F.spatial_transformer_sampler, new.variable(2, 3, 4, 5),
        new.variable(2, 2, 6, 7)), 1, 2),
]

ARRAYS = [
    ('linear', lambda new: partial(
        new.link(L.Linear, 4, 5), new.variable(3, 4)), 2, 3),
    ('matmul', lambda new: partial(
        F.matmul, new.variable(3, 4), new.variable(5, 4), False, True), 1, 2),
    ('matmul, batches', _of_two(
        lambda x, y: F.matmul(x, y, False, True), 2, 3, 4), 1, 2),
    ('matmul, transposed batches', _of_two(
        lambda x, y: F.matmul(x, y, True, False), 2, 3, 4), 1, 2),
    ('concat', _of_two(lambda *xs: F.concat(xs)), 1, 0),
    ('stack', _of_two(lambda *xs: F.stack(xs)), 1, 0),
    ('sum', _of_one(F.sum), 1, 0),
    ('sum of many rows', _of_one(lambda x: F.sum(x, axis=0), 2048, 40), 2, 0),
]

BUDGETS = [
    *ACTIVATIONS, *NOISE, *ARITHMETIC, *LOSSES, *LOOK_UPS, *EVALUATION,
    *NORMALIZATION, *RECURRENT, *POOLING, *REGIONS, *INTERPOLATION,
    *ARRAYS]


# Launches on top of the budget of a backward pass that gets gradients as a sum gives
# them, one number for all elements: most functions copy them once.
COPIES = {
    # Each reads an element of the gradient once, wherever it lies.
    **{name: 0 for name, *_ in RECURRENT},
    # Every product copies, since batches go to cuBLAS one by one.
    'matmul, batches': 2, 'matmul, transposed batches': 2}


def count(step, new, *, of_sums=False):
    """Return what the stand-in has recorded, forward and backward.

    Parameters
    ----------
    step : callable
        That of a row.
    new : Inputs
    of_sums : bool
        Whether the gradients of the results are those of their sums, views of a number.
    """
    from tests.doubles.host_cupy import ledger
    forward = step(new)
    with ledger.record() as forth:
        ys = forward()
    ys = [y for y in (ys if isinstance(ys, tuple) else (ys,))
          if isinstance(y, chainer.Variable)]
    for y in ys:
        if y.creator is not None and y.dtype == new.dtype:
            y.grad = new.array(*y.shape) if not of_sums else (
                new.device.xp.broadcast_to(new.array(), y.shape))
    with ledger.record() as back:
        chainer.backward([y for y in ys if y.grad is not None])
    return forth, back
