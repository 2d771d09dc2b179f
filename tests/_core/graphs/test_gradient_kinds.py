"""Gradients on their way: each kind meets each other one, and one file tells them."""
import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F

PACKAGE = Path(chainer.__file__).parent
# Large enough that the gradients of few rows are kept as rows.
SHAPE = 4100, 16


def whole(seed, *shape):
    """Numbers whose sums and products are exact, in any order."""
    return np.random.RandomState(seed).randint(-4, 5, shape).astype('f')


class InPython(chainer.FunctionNode):
    """A function whose gradient is a variable."""

    def forward(self, inputs):
        return inputs[0] * np.float32(2),

    def backward(self, indexes, grad_outputs):
        return grad_outputs[0] * 2,


def as_array(weight, seed):
    return -weight, whole(seed, *SHAPE)


def as_variable(weight, seed):
    y, = InPython().apply((weight,))
    return y, whole(seed, *SHAPE)


def as_terms(weight, seed):
    with chainer.using_config('lazy_grad_sum', True):
        return as_variable(weight, seed)


def as_rows(weight, seed):
    ids = np.random.RandomState(seed).randint(0, SHAPE[0], 5)
    return F.embed_id(ids, weight), whole(seed, 5, SHAPE[1])


def as_factors(weight, seed):
    return F.linear(whole(seed, 2, SHAPE[1]), weight), whole(-seed % 99, 2, SHAPE[0])


def as_part(weight, seed):
    return weight[seed * 7:seed * 9 + 3], whole(seed, seed * 2 + 3, SHAPE[1])


KINDS = as_part, as_array, as_variable, as_terms, as_rows, as_factors


def gradient(makers, before=None, by_function=False):
    leaf = chainer.Parameter(whole(0, *SHAPE))
    leaf.grad = before
    weight = F.identity(leaf) if by_function else leaf
    ys = []
    for seed, make in makers:
        y, y.grad = make(weight, seed)
        ys.append(y)
    chainer.backward(ys)
    return leaf.grad


@pytest.mark.parametrize('by_function', [False, True], ids=['leaf', 'made'])
@pytest.mark.parametrize(
    'makers', list(itertools.product(KINDS, repeat=3)),
    ids=lambda makers: '-'.join(make.__name__[3:] for make in makers))
def test_each_kind_adds_to_each(makers, by_function):
    numbered = list(enumerate(makers, 1))
    expected = sum(gradient([each]) for each in numbered)
    found = gradient(numbered, by_function=by_function)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize('make', KINDS)
def test_gradient_of_the_user_is_added_to_a_copy(make):
    before = whole(7, *SHAPE)
    kept = before.copy()
    found = gradient([(1, make), (2, make)], before)
    np.testing.assert_array_equal(before, kept)
    expected = before + gradient([(1, make)]) + gradient([(2, make)])
    np.testing.assert_array_equal(found, expected)


def test_one_file_tells_the_kinds():
    test = re.compile(r'type\([^()]*\) is (not )?(RowGradient|Factors|PartS?u?m?)\b')
    tellers = [
        path.relative_to(PACKAGE).as_posix()
        for suffix in ('pyx', 'pxi', 'pxd') for path in PACKAGE.rglob('*.' + suffix)
        if test.search(path.read_text())]
    assert tellers == ['_core/graphs/_gradients.pxi']
