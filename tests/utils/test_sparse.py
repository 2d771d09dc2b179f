"""Sparse matrices: there and back, and the order of their elements."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import chainer_fast
from chainer_fast import utils

_matrices = hnp.arrays(
    st.sampled_from(['e', 'f', 'd', 'i', 'q']),
    hnp.array_shapes(min_dims=2, max_dims=3, min_side=1, max_side=4),
    elements=st.sampled_from([0, 0, 1, 2, -3]))


@given(_matrices, st.none() | st.integers(0, 20), st.booleans())
def test_round_trip(x, ldnz, requires_grad):
    sparse = utils.to_coo(x, ldnz=ldnz, requires_grad=requires_grad)
    assert isinstance(sparse.data, chainer_fast.Variable)
    assert sparse.data.requires_grad is requires_grad
    assert sparse.shape == x.shape[-2:]
    assert sparse.order == 'C'
    assert sparse.row.dtype == sparse.col.dtype == np.int32
    most = max([np.count_nonzero(m) for m in (x if x.ndim == 3 else [x])], default=0)
    assert sparse.data.shape == sparse.row.shape == sparse.col.shape == (
        *x.shape[:-2], max(most, ldnz or 0))
    dense = sparse.to_dense()
    assert dense.dtype == x.dtype
    np.testing.assert_array_equal(dense, x)


@pytest.mark.parametrize('shape', [(0, 3), (3, 0), (2, 0, 3)])
def test_matrix_without_elements(shape):
    with pytest.raises(ValueError, match='greater than 0'):
        utils.to_coo(np.zeros(shape), 2)


def test_layout():
    sparse = utils.to_coo(np.array([[[0, 1], [2, 3]], [[0, 0], [4, 0]]], 'f'))
    np.testing.assert_array_equal(sparse.data.array, [[1, 2, 3], [4, 0, 0]])
    np.testing.assert_array_equal(sparse.row, [[0, 1, 1], [1, -1, -1]])
    np.testing.assert_array_equal(sparse.col, [[1, 0, 1], [0, -1, -1]])


def coordinates(*pairs):
    return np.array(pairs, 'i').T


def matrix(row, col, order=None, shape=(3, 3)):
    return utils.CooMatrix(np.ones(row.shape, 'f'), row, col, shape, order)


def test_equal_coordinates_add_up():
    row, col = coordinates((0, 0), (2, 1), (0, 0))
    np.testing.assert_array_equal(
        matrix(row, col).to_dense(), [[2, 0, 0], [0, 0, 0], [0, 1, 0]])


@pytest.mark.parametrize('order, pairs', [
    ('C', [(0, 1), (0, 2), (1, 0)]),
    ('F', [(1, 0), (2, 0), (0, 1)]),
    ('C', [(0, 0), (1, 1), (2, 2)]),
    ('C', [(0, 1), (0, 1)]),
    ('other', [(2, 0), (0, 1), (1, 0)]),
    ('C', [(0, 1), (1, 0), (-1, -1), (-1, -1)]),
    ('other', [(1, 0), (-1, -1), (0, 0)]),
    ('C', [(-1, -1)]),
])
def test_order(order, pairs):
    row, col = coordinates(*pairs)
    assert utils.get_order(row, col) == order
    assert matrix(row, col).order == order


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=6))
def test_order_is_that_of_sorting(pairs):
    row, col = np.array(pairs, 'i').reshape(-1, 2).T
    by_column = sorted(pairs, key=lambda pair: pair[::-1])
    assert utils.get_order(row, col) == (
        'C' if pairs == sorted(pairs) else 'F' if pairs == by_column else 'other')


def test_order_of_a_batch():
    rows, cols = np.array([[0, 1], [1, 0]]), np.array([[0, 0], [0, 1]])
    assert utils.get_order(rows, cols) == 'F'
    assert utils.get_order(rows[:1], cols[:1]) == 'C'


def test_given_order_is_believed():
    row, col = coordinates((0, 1), (1, 0))
    assert matrix(row, col, order='other').order == 'other'


def test_what_cannot_be():
    row, col = coordinates((0, 1), (1, 0))
    data = np.ones(2, 'f')
    for arguments in (
            (data[None, None], row[None, None], col[None, None], (2, 2)),
            (data[0], row[0], col[0], (2, 2)), (data[None], row, col, (2, 2)),
            (data, row, col[:1], (2, 2)), (data, row, col, (1, 2, 2)),
            (data, row, col, (2, 2), 'D')):
        with pytest.raises(ValueError):
            utils.CooMatrix(*arguments)
    # A mistake of a shape is one whatever the coordinates are, and that of a type is
    # found before that of coordinates.
    for other in [0, 1], None, 3:
        with pytest.raises(ValueError, match='ndim of data, row and col'):
            utils.CooMatrix(data, row[None], other, (2, 2))
    with pytest.raises(TypeError):
        utils.CooMatrix(chainer_fast.Variable(data), row, col[:1], (2, 2))
    with pytest.raises(ValueError, match='order'):
        utils.CooMatrix(chainer_fast.Variable(data), row, col, (2, 2), 'D')
    with pytest.raises(ValueError, match='invalid index'):
        utils.get_order(np.array([0, -1]), np.array([0, 0]))
    with pytest.raises(ValueError, match='shape'):
        utils.get_order(row, col[:1])
    for ndim in (1, 4):
        with pytest.raises(ValueError, match='2 or 3'):
            utils.to_coo(np.zeros((1,) * ndim))


def test_values_decide_how_many_coordinates_count():
    row, col = np.array([[0, 1], [1, 0]]), np.array([[1, 0], [0, 1]])
    one = utils.CooMatrix(np.ones(1), row[0], col[0], (2, 2)).to_dense()
    np.testing.assert_array_equal(one, [[0, 1], [0, 0]])
    batch = utils.CooMatrix(np.ones((1, 2)), row, col, (2, 2)).to_dense()
    np.testing.assert_array_equal(batch, [[[0, 1], [1, 0]]])
    with pytest.raises(ValueError, match=r'data of shape \(3,\) needs a row'):
        utils.CooMatrix(np.ones(3), row[0], col[0], (2, 2)).to_dense()
    with pytest.raises(IndexError, match=r'data of shape \(3, 2\) needs a row'):
        utils.CooMatrix(np.ones((3, 2)), row, col, (2, 2)).to_dense()
