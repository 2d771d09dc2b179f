"""Shortcuts of functions that take rows with gaps: results and their layouts."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast.functions.activation import log_softmax, softmax
from chainer_fast.functions.loss import softmax_cross_entropy
from chainer_fast.functions.noise import dropout
from chainer_fast.functions.rnn import lstm, slstm
from chainer_fast.variable import Variable
from tests.ways import General, called_methods, same_bits


def normal(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype('f')


def gaps(*shape):
    """Return rows of an array with an axis more."""
    return normal(shape[0], 3, *shape[1:])[:, 1]


def every_second(*shape):
    return normal(*shape[:-1], 2 * shape[-1])[..., ::2]


def repeated_rows(*shape):
    return np.broadcast_to(normal(1, *shape[1:]), shape)


def repeated_columns(*shape):
    return np.broadcast_to(normal(*shape[:-1], 1), shape)


LAYOUTS = [gaps, every_second, repeated_rows, repeated_columns]

FUNCTIONS = {
    'softmax': (softmax.Softmax, F.softmax, [(3, 5)]),
    'softmax of images': (softmax.Softmax, F.softmax, [(3, 5, 2, 4)]),
    'log_softmax': (log_softmax.LogSoftmax, F.log_softmax, [(3, 5)]),
    'cross entropy': (
        softmax_cross_entropy.SoftmaxCrossEntropy,
        lambda x: F.softmax_cross_entropy(x, np.array([1, -1, 4])), [(3, 5)]),
    'dropout': (dropout.Dropout, F.dropout, [(3, 5)]),
    'lstm': (lstm.LSTM, F.lstm, [(3, 2), (3, 8)]),
    'lstm of fewer samples': (lstm.LSTM, F.lstm, [(3, 2), (2, 8)]),
    'slstm': (slstm.SLSTM, F.slstm, [(3, 2), (3, 2), (3, 8), (3, 8)])}


def run(f, arrays, layout):
    """Return results and gradients, those of outputs with gaps as well."""
    np.random.seed(0)
    xs = [Variable(x) for x in arrays]
    ys = f(*xs)
    ys = ys if type(ys) is tuple else (ys,)
    for y in ys:
        y.grad = layout(*y.shape) if y.ndim else np.ones((), 'f')
    chainer.backward(ys)
    return [*[y.array for y in ys], *[x.grad for x in xs]]


@pytest.mark.parametrize(
    ('cls', 'f', 'shapes'), FUNCTIONS.values(), ids=list(FUNCTIONS))
@pytest.mark.parametrize('layout', LAYOUTS)
def test_rows_with_gaps(cls, f, shapes, layout):
    arrays = [layout(*shape) for shape in shapes]
    with called_methods(cls) as called:
        found = run(f, arrays, layout)
    assert not called
    with called_methods(cls) as called, General():
        expected = run(f, arrays, layout)
    assert called == {'forward', 'backward'}
    for a, b in zip(found, expected, strict=True):
        assert same_bits(a, b)
        assert a.strides == b.strides


@pytest.mark.parametrize(
    ('cls', 'f', 'shapes'), FUNCTIONS.values(), ids=list(FUNCTIONS))
def test_inputs_are_retained_as_they_are(cls, f, shapes):
    """What a program writes into an array with gaps is seen by the gradient."""
    def changed():
        arrays = [gaps(*shape) for shape in shapes]
        np.random.seed(0)
        xs = [Variable(x) for x in arrays]
        ys = f(*xs)
        arrays[-1][...] *= 2
        y = ys[-1] if type(ys) is tuple else ys
        F.sum(y * y).backward()
        return [x.grad for x in xs]

    found = changed()
    with General():
        expected = changed()
    for a, b in zip(found, expected, strict=True):
        assert same_bits(a, b)
