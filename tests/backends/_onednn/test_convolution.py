"""Convolutions by oneDNN, against the reference in double precision."""
import multiprocessing
import threading

import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast._cpu import shared
from chainer_fast.backends._onednn import library
from chainer_fast.backends.kernels import convolution as kernels
from chainer_fast.backends.kernels.convolution import compiled
from tests.backends.kernels.convolution_cases import random, strided

pytestmark = pytest.mark.usefixtures('onednn')

# images, channels, lengths, filters, ksize, stride, pad, dilate, groups
CASES = [
    (2, 3, (13, 11), 5, (3, 3), (1, 1), (1, 1), (1, 1), 1),
    (1, 1, (8, 8), 1, (3, 3), (1, 1), (0, 0), (1, 1), 1),
    (2, 16, (14, 14), 32, (3, 3), (2, 2), (1, 1), (1, 1), 1),
    (1, 17, (9, 7), 33, (1, 1), (1, 1), (0, 0), (1, 1), 1),
    (2, 64, (9, 9), 64, (1, 1), (2, 2), (0, 0), (1, 1), 1),
    (2, 6, (10, 9), 4, (3, 2), (2, 1), (2, 0), (1, 1), 2),
    (2, 8, (9, 9), 8, (3, 3), (1, 1), (1, 1), (1, 1), 8),
    (1, 12, (11, 9), 6, (3, 3), (1, 2), (2, 2), (2, 2), 3),
    (3, 5, (20,), 7, (4,), (3,), (1,), (1,), 1),
    (2, 4, (5, 6, 7), 6, (2, 3, 3), (1, 2, 1), (0, 1, 1), (1, 1, 1), 2),
    (1, 3, (32, 32), 16, (7, 7), (2, 2), (3, 3), (1, 1), 1),
    (2, 19, (1, 1), 9, (1, 1), (1, 1), (0, 0), (1, 1), 1),
]
LAYOUTS = ['plain', 'last', 'fortran', 'gaps', 'reversed', 'misaligned']


def laid_out(array, how):
    """The same values with other strides, or at an odd address."""
    if how == 'last':
        return np.moveaxis(np.moveaxis(array, 1, -1).copy(), -1, 1)
    if how == 'misaligned':
        raw = np.empty(array.nbytes + 1, 'B')[1:].view(array.dtype).reshape(array.shape)
        raw[...] = array
        return raw
    return strided(array, how)


def is_last(array):
    return np.moveaxis(array, 1, -1).flags.c_contiguous


def places(lengths, ksize, stride, pad, dilate):
    return tuple([(n + 2 * p - (k - 1) * d - 1) // s + 1 for n, k, s, p, d in zip(
        lengths, ksize, stride, pad, dilate, strict=True)])


def close(actual, expected):
    assert actual.dtype == np.float32
    assert actual.shape == expected.shape
    scale = abs(expected).max()
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=2e-6 * scale)


def by_library(function, *args):
    """The result of a kernel; fails unless oneDNN computed it."""
    y, used = attempted(function, *args)
    assert used
    return y


def attempted(function, *args):
    """The result of a kernel, and whether oneDNN computed it."""
    compiled._limit_vectors(64, 0)      # our own loops call no products of oneDNN
    library.count(True)
    try:
        before = library.counted()
        y = function(*args)
        return y, library.counted() > before
    finally:
        library.count(False)
        compiled._limit_vectors(64)


def operands(case):
    n, channels, lengths, filters, ksize, *window, groups = case
    outs = places(lengths, ksize, *window)
    x = random((n, channels, *lengths), 'f', 0)
    W = random((filters, channels // groups, *ksize), 'f', 1)
    return x, W, random((n, filters, *outs), 'f', 2), (*window, groups), outs


@pytest.mark.parametrize('how', LAYOUTS)
@pytest.mark.parametrize('case', CASES)
def test_against_reference(case, how):
    x, W, gy, window, outs = operands(case)
    b = random(W.shape[:1], 'f', 3)
    y = by_library(
        kernels.convolve, laid_out(x, how), laid_out(W, how), b, *window, outs)
    close(y, kernels.convolve.reference(*map(np.float64, (x, W, b)), *window, outs))
    assert is_last(y)

    lengths = x.shape[2:]
    c = random(x.shape[1:2], 'f', 4)
    gx = kernels.convolve_transposed(
        laid_out(gy, how), laid_out(W, how), c, *window, lengths)
    close(gx, kernels.convolve_transposed.reference(
        *map(np.float64, (gy, W, c)), *window, lengths))
    assert is_last(gx) or x.shape[1] <= 4

    gW = by_library(kernels.correlate, laid_out(x, how), laid_out(gy, how), W.shape[2:],
                    *window, x.dtype)
    close(gW, kernels.correlate.reference(
        *map(np.float64, (x, gy)), W.shape[2:], *window, np.dtype('d')))
    assert gW.flags.c_contiguous


@pytest.mark.parametrize('case', CASES[:4])
def test_same_bits_again(case):
    x, W, gy, window, outs = operands(case)
    for function, args in (
            (kernels.convolve, (x, W, None, *window, outs)),
            (kernels.convolve_transposed, (gy, W, None, *window, x.shape[2:])),
            (kernels.correlate, (x, gy, W.shape[2:], *window, x.dtype))):
        np.testing.assert_array_equal(function(*args), function(*args))


def test_filters_that_change():
    x, W, _, window, outs = operands(CASES[2])
    with chainer_fast.no_backprop_mode():
        for _ in range(3):
            y = by_library(kernels.convolve, x, W, None, *window, outs)
            close(y, kernels.convolve.reference(
                np.float64(x), np.float64(W), None, *window, outs))
            W.reshape(-1)[7] += 1


def test_filters_that_are_kept():
    x, W, _, window, outs = operands(CASES[2])
    before = compiled.kept_bytes()
    with chainer_fast.no_backprop_mode():
        expected = by_library(kernels.convolve, x, W, None, *window, outs)
        kept = compiled.kept_bytes()
        assert kept > before
        y = by_library(kernels.convolve, x, W, None, *window, outs)
        np.testing.assert_array_equal(y, expected)
        images = np.concatenate([x, x])     # another plan, with filters like those
        close(by_library(kernels.convolve, images, W, None, *window, outs)[2:],
              expected.astype('d'))
        assert compiled.kept_bytes() == kept
    np.testing.assert_array_equal(
        by_library(kernels.convolve, x, W, None, *window, outs), expected)
    del W
    assert compiled.kept_bytes() == before


def test_no_code_for_it():
    x, W, _, window, outs = operands(CASES[0])
    y, used = attempted(
        compiled.convolve, x.astype('d'), W.astype('d'), None, *window, outs)
    assert y.dtype == np.float64 and not used
    for a, f in ((x.astype('d'), W), (x.astype('>f4'), W), (x[:0], W),
                 (x[..., None, None], W)):
        assert compiled.convolve(a, f, None, *window, outs) is NotImplemented
    few = tuple([n - 5 for n in outs])
    assert not attempted(compiled.convolve, x, W, None, *window, few)[1]
    wrong = random((2,), 'f', 0)
    assert compiled.convolve(x, W, wrong, *window, outs) is NotImplemented


@pytest.mark.parametrize('change', [1, -5])
def test_other_numbers_of_places(change):
    x, W, _, window, outs = operands(CASES[0])
    outs = tuple([n + change for n in outs])
    y = kernels.convolve(x, W, None, *window, outs)
    close(y, kernels.convolve.reference(
        np.float64(x), np.float64(W), None, *window, outs))


def test_cache_is_bounded():
    W = random((2, 1, 1), 'f', 0)
    for n in range(1, 600):
        x = random((1, 1, n), 'f', 0)
        by_library(kernels.convolve, x, W, None, (1,), (0,), (1,), 1, (n,))
    assert compiled.cached() <= 512
    x, W, _, window, outs = operands(CASES[0])
    close(by_library(kernels.convolve, x, W, None, *window, outs),
          kernels.convolve.reference(
              np.float64(x), np.float64(W), None, *window, outs))


def _all(case):
    x, W, gy, window, outs = operands(case)
    return [kernels.convolve(x, W, None, *window, outs),
            kernels.convolve_transposed(gy, W, None, *window, x.shape[2:]),
            kernels.correlate(x, gy, W.shape[2:], *window, x.dtype)]


def test_threads_at_once():
    expected = [_all(case) for case in CASES]
    wrong = []

    def work():
        with chainer_fast.using_config('use_ideep', 'always'):
            for _ in range(10):
                for case, results in zip(CASES, expected, strict=True):
                    for a, b in zip(_all(case), results, strict=True):
                        if abs(a - b).max() > 1e-4:
                            wrong.append(case)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def _send(connection):
    with chainer_fast.using_config('use_ideep', 'always'):
        connection.send(_all(CASES[2]))


@pytest.mark.parametrize('threads', [1, 2])
@pytest.mark.posix('the program is forked')
def test_after_a_fork(threads):
    with chainer_fast.using_config('num_threads', threads):
        expected = _all(CASES[2])
        here, there = multiprocessing.Pipe()
        child = multiprocessing.get_context('fork').Process(
            target=_send, args=(there,))
        child.start()
        assert here.poll(60)
        for a, b in zip(here.recv(), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
        child.join()


@pytest.mark.parametrize('function', [F.convolution_2d, F.deconvolution_2d])
def test_gradients_of_functions(function):
    x, gy = random((2, 4, 7, 6), 'f', 0), None
    W = random((4, 4, 3, 3), 'f', 1)
    b = random((4,), 'f', 2)
    results = []
    for level in 'never', 'always':
        with chainer_fast.using_config('use_ideep', level):
            inputs = [chainer_fast.Variable(a.copy()) for a in (x, W, b)]
            y = function(*inputs, stride=2, pad=1)
            if gy is None:
                gy = random(y.shape, 'f', 3)
            grads = chainer_fast.grad(
                [y], inputs, [chainer_fast.Variable(gy)], enable_double_backprop=True)
            second = chainer_fast.grad(
                [F.sum(grads[0] ** 2) + F.sum(grads[1] ** 2)], inputs[:2])
            results.append([y, *grads, *second])
    for actual, expected in zip(results[1], results[0], strict=True):
        np.testing.assert_allclose(
            actual.array, expected.array, rtol=1e-5,
            atol=1e-5 * abs(expected.array).max())


def test_auto_chooses_by_shape():
    def used(level, x, W, outs):
        with chainer_fast.using_config('use_ideep', level):
            return attempted(kernels.convolve, x, W, None, *window, outs)[1]

    x, W, _, window, outs = operands(CASES[0])
    few_places = random((1, 64, 4, 4), 'f', 0), random((64, 64, 3, 3), 'f', 1), (4, 4)
    assert used('auto', x, W, outs)
    # Our own loops take less, where they have vectors.
    assert used('auto', *few_places) == (shared.level() == 'base')
    assert used('always', *few_places)
    with chainer_fast.no_backprop_mode():
        assert used('auto', *few_places)      # filters stay reordered


@pytest.mark.parametrize('case', CASES)
def test_auto_against_reference(case):
    x, W, gy, window, outs = operands(case)
    with chainer_fast.using_config('use_ideep', 'auto'):
        y = kernels.convolve(x, W, None, *window, outs)
        gx = kernels.convolve_transposed(gy, W, None, *window, x.shape[2:])
        gW = kernels.correlate(x, gy, W.shape[2:], *window, x.dtype)
    x, W, gy = map(np.float64, (x, W, gy))
    close(y, kernels.convolve.reference(x, W, None, *window, outs))
    close(gx, kernels.convolve_transposed.reference(
        gy, W, None, *window, x.shape[2:]))
    close(gW, kernels.correlate.reference(x, gy, W.shape[2:], *window, x.dtype))


def test_switch():
    """It is looked at in every call."""
    x, W, _, window, outs = operands(CASES[2])
    before = compiled.cached()
    shape = (3, *x.shape[1:])
    images = np.resize(x, shape)
    with chainer_fast.using_config('use_ideep', 'never'):
        kernels.convolve(images, W, None, *window, outs)
    assert compiled.cached() == before
    kernels.convolve(images, W, None, *window, outs)
    assert compiled.cached() == min(before + 1, 512)
