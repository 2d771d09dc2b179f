"""Budgets: how many launches a step may take on a GPU; the host must not wait for it.

A row of ``BUDGETS`` is a name, a step, and the most launches forward and backward. The
step gets :class:`Inputs`, whose methods make variables, arrays and links on the GPU,
and returns a function without arguments: the forward pass, which gives a variable, or
some in a tuple. What it does before that is not counted.
"""
import functools

import numpy as np
import pytest

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


# CuPy draws uniform numbers in two launches, because cuRAND gives ones, but no zeros.
_UNIFORM = 2

ACTIVATIONS = [
    *[(f.__name__, _of_one(f), 1, 1) for f in (
        F.relu, F.relu6, F.clipped_relu, F.leaky_relu, F.elu, F.sigmoid, F.tanh,
        F.hard_sigmoid, F.softplus, F.crelu)],
    ('maxout', lambda new: partial(F.maxout, new.variable(3, 4), 2), 1, 1),
    # The gradient of the parameter is summed over all samples.
    ('prelu', lambda new: partial(F.prelu, new.variable(3, 4), new.variable(4)), 1, 2),
    ('swish', lambda new: partial(F.swish, new.variable(3, 4), new.variable(4)), 1, 2),
    # The scale is a product of its own.
    ('selu', _of_one(F.selu), 2, 2),
    ('rrelu', _of_one(F.rrelu), _UNIFORM + 1, 1),
    ('logsumexp', _of_one(lambda x: F.logsumexp(x, axis=1)), 1, 1),
    ('softmax', _of_one(F.softmax, 3, 4, 5), 2, 2),
    ('log_softmax', _of_one(F.log_softmax, 3, 4, 5), 2, 2),
]

NOISE = [
    ('dropout', _of_one(F.dropout), _UNIFORM + 1, 1),
    ('zoneout', _of_two(F.zoneout), _UNIFORM + 1, 1),
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
    *[('ctc, %d times' % n, functools.partial(_ctc, n), 2 * n + n + 16, 2)
      for n in (3, 4)],
    *[('crf1d, %d times' % n, functools.partial(_crf, n), 3 * n + 7, 3 * n + 4)
      for n in (2, 3)],
    ('negative_sampling', _negative_sampling, _UNIFORM + 4, 4),
    ('hierarchical_softmax', _hierarchical_softmax, 5, 5),
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

BUDGETS = [*ACTIVATIONS, *NOISE, *ARITHMETIC, *LOSSES, *LOOK_UPS, *EVALUATION]


def count(step, new):
    """Return what the stand-in has recorded, forward and backward."""
    from tests.host_cupy import ledger
    forward = step(new)
    with ledger.record() as forth:
        ys = forward()
    ys = [y for y in (ys if isinstance(ys, tuple) else (ys,))
          if isinstance(y, chainer.Variable)]
    for y in ys:
        if y.creator is not None and y.dtype == new.dtype:
            y.grad = new.array(*y.shape)
    with ledger.record() as back:
        for y in ys:
            if y.grad is not None:
                y.backward()
    return forth, back


def overrun(record, budget):
    """Say what was too much."""
    host = [*record.synchronisations, *record.to_host, *record.to_device]
    if len(record.launches) > budget or host:
        return '%d launches of %d: %s; on the host: %s' % (
            len(record.launches), budget, record.launches, host)
    return None


@pytest.mark.gpu
@pytest.mark.parametrize('name, step, forward, backward', BUDGETS,
                         ids=[row[0] for row in BUDGETS])
def test_budget(device, name, step, forward, backward):
    count(step, Inputs(device, 'f'))    # the first call also compiles
    records = count(step, Inputs(device, 'f'))
    assert [overrun(*pair) for pair in zip(
        records, (forward, backward), strict=True)] == [None, None]


@pytest.mark.gpu
@pytest.mark.parametrize('name, step', [
    row[:2] for family in (ACTIVATIONS, NOISE, ARITHMETIC, LOSSES, LOOK_UPS, EVALUATION)
    for row in family])
def test_the_host_does_not_wait_for_half_floats(device, name, step):
    for record in count(step, Inputs(device, 'e')):
        # Conversions come on top of the launches of single precision.
        assert overrun(record, len(record.launches)) is None
