"""NumPy's matrices are arrays of two axes, whose products are those of elements."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.variable import Parameter, Variable
from tests import compare

X = np.sin(np.arange(12, dtype='f')).reshape(3, 4)
W = np.cos(np.arange(8, dtype='f')).reshape(2, 4)
T = np.array([0, 3, 1], 'i')
def matrix(x):
    return x.view(np.matrix)


pytestmark = pytest.mark.host


@pytest.mark.parametrize('make', [Variable, Parameter])
def test_variables_hold_plain_arrays_of_the_same_memory(make):
    m = matrix(X.copy())
    x = make(m)
    assert type(x.array) is np.ndarray
    m[0, 0] = 5
    assert x.array[0, 0] == 5
    x.array = matrix(X)
    x.grad = matrix(X)
    assert type(x.array) is type(x.grad) is np.ndarray
    # A subclass of any other kind is kept.
    mapped = np.zeros(3, 'f').view(np.recarray)
    assert make(mapped).array is mapped


@pytest.mark.parametrize('f', [
    lambda x, w: x[1] * x[0], lambda x, w: x * x, lambda x, w: F.linear(x, w),
    lambda x, w: F.tan(x), lambda x, w: F.huber_loss(x, x * 2, 1.),
    lambda x, w: F.hinge(x, T), lambda x, w: F.tensordot(x, w, ((1,), (1,))),
    lambda x, w: F.einsum('ij,kj->ik', x, w), lambda x, w: F.sum(x, axis=1),
    lambda x, w: F.bilinear(x, x, np.ones((4, 4, 2), 'f')),
    lambda x, w: F.simplified_dropconnect(x, w, mask=np.ones((3, 2, 4), '?')),
    lambda x, w: F.crf1d(np.ones((4, 4), 'f'), [x, x], [T, T]),
    lambda x, w: F.n_step_rnn(
        1, 0., np.zeros((1, 3, 2), 'f'), [[w, np.ones((2, 2), 'f')]],
        [[np.ones(2, 'f'), np.ones(2, 'f')]], [x, x])[0]])
def test_functions_compute_what_they_do_of_arrays(f):
    found = []
    for as_ in np.asarray, matrix:
        x, w = Variable(as_(X.copy())), Variable(as_(W.copy()))
        y = f(x, w)
        F.sum(y * y).backward()
        found.append([y.array, x.grad, w.grad])
    for expected, each in zip(*found, strict=True):
        assert (each is None) == (expected is None)
        if each is not None:
            assert type(each) is np.ndarray
            compare.assert_array_equal(each, expected)


@pytest.mark.parametrize('f', [F.tan, lambda x: F.huber_loss(x, X * 2, 1.)])
def test_functions_take_plain_matrices(f):
    compare.assert_array_equal(f(matrix(X)).array, f(X).array)
