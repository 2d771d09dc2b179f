"""Einstein sums and tensor products."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast import functions as F
from chainer_fast.functions.math import einsum
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients

LENGTHS = dict(zip('abijkl', (2, 1, 2, 3, 4, 2), strict=True))
EQUATIONS = [
    'ij,jk->ik', 'ij,jk->ki', 'ji,kj->ik', 'ij,jk', 'aij,ajk->aik', 'aij,jk->aik',
    'iaj,jka->kai', 'ij,ij->ij', 'ij,ij->i', 'ij,ij->', 'i,j->ji', 'i,jk->', 'ij->ji',
    'ij->j', 'ij->', 'ii', 'ii->i', 'iij,j->ij', 'iij,kkj->ki', 'ij,jk,kl->il',
    'ij,i,j', 'i,i,i->i', ',ij->j', 'bij,b->ji', 'ijk,kl->ijl', 'aijk,ailk->ajl',
    ',,->', '...ij,...jk->...ik', 'i...j,jk...->k...i', 'ii...,...jj', '...i,i->...',
    '...->...', 'i...->...', '...,j->j...', 'ij,...j->i...']
CASES = [(e, ()) for e in EQUATIONS] + [(e, (2, 1)) for e in EQUATIONS if '...' in e]


def operands(equation, rest=(2, 1), dtype='d', **lengths):
    lengths = {**LENGTHS, **lengths}
    found = []
    for i, term in enumerate(equation.split('->')[0].split(',')):
        front, dots, back = term.partition('...')
        shape = [lengths[s] for s in front]
        shape += [*rest, *[lengths[s] for s in back]] if dots else []
        found.append(gradients.uniform(tuple(shape), i, dtype))
    return found


@pytest.mark.parametrize('equation, rest', CASES)
def test_values_and_gradients(device, equation, rest):
    xs = operands(equation, rest)
    y = F.einsum(equation, *device.send(xs))
    assert isinstance(y.array, device.xp.ndarray)
    compare.assert_allclose(
        y.array, np.einsum(equation, *xs), rtol=1e-12, atol=1e-12)
    gradients.check(device, lambda *xs: F.einsum(equation, *xs), *xs)


@pytest.mark.parametrize('equation', EQUATIONS)
@pytest.mark.parametrize('dtype', 'ef')
def test_dtypes(device, equation, dtype):
    arrays = operands(equation, dtype=dtype)
    xs = [Variable(x) for x in device.send(arrays)]
    y = F.einsum(equation, *xs)
    expected = np.einsum(equation, *[x.astype('d') for x in arrays])
    tolerance = 1e-5 if dtype == 'f' else 1e-2
    compare.assert_allclose(y.array, expected, rtol=tolerance, atol=tolerance)
    y.grad = np.ones_like(y.array)
    y.backward()
    assert {v.dtype.char for v in (y, *[x.grad_var for x in xs])} == {dtype}


@pytest.mark.parametrize('dtypes', ['ef', 'df', 'de'])
def test_mixed_dtypes(device, dtypes):
    a, b = [
        Variable(device.send(gradients.uniform((2, 2), 0, dtype))) for dtype in dtypes]
    y = F.einsum('ij,jk->ik', a, b)
    assert y.dtype == np.result_type(*dtypes)
    F.sum(y).backward()
    assert (a.grad.dtype.char, b.grad.dtype.char) == tuple(dtypes)


def test_sums_of_halves_are_exact(device):
    x = device.send(np.full(4096, 1, 'e'))
    assert float(F.einsum('i,i->', x, x).array) == 4096
    assert float(F.einsum('i->', x).array) == 4096


@pytest.mark.parametrize('equation', ['ij,jk->ik', 'ij,ij->i', 'ij->', 'ij,jk,kl->il'])
@pytest.mark.parametrize('lengths', [{'j': 0}, {'i': 0}, {'i': 0, 'j': 0}])
def test_empty_axes(device, equation, lengths):
    xs = operands(equation, **lengths)
    y = F.einsum(equation, *device.send(xs))
    compare.assert_array_equal(y.array, np.einsum(equation, *xs))
    gradients.check(device, lambda *xs: F.einsum(equation, *xs), *xs, double=False)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_random_equations(device, data):
    letters = st.text('abijk', max_size=4)
    terms = data.draw(st.lists(letters, min_size=1, max_size=3))
    known = sorted(set(''.join(terms)))
    out = data.draw(st.permutations(known))[:data.draw(st.integers(0, 5))]
    equation = ','.join(terms) + '->' + ''.join(out)
    xs = operands(equation)
    order = data.draw(st.sampled_from('CF'))
    y = F.einsum(equation, *device.send([np.asarray(x, order=order) for x in xs]))
    compare.assert_allclose(
        y.array, np.einsum(equation, *xs), rtol=1e-9, atol=1e-12)


def test_strided_operands(device):
    a, b = gradients.uniform((6, 8))[::2, ::-1], np.broadcast_to(np.arange(3.), (8, 3))
    for equation in 'ij,jk->ik', 'ij,jk->ijk', 'ij,jk->':
        compare.assert_allclose(
            F.einsum(equation, device.send(a), device.send(b)).array,
            np.einsum(equation, a, b))


def test_lists_in_place_of_letters(device):
    a, b = gradients.uniform((2, 3)), gradients.uniform((3, 4), 1)
    expected = a @ b
    for args in [(a, [0, 1], b, [1, 2]), (a, (5, 0), b, [0, 7], [5, 7]),
                 (a, [Ellipsis, 0], b, [0, 1], [Ellipsis, 1])]:
        compare.assert_allclose(F.einsum(*device.send(args)).array, expected)


def test_one_array_gives_a_view(device):
    x = device.send(np.zeros((2, 3), 'f'))
    assert np.shares_memory(F.einsum('ij->ji', x).array, x)


@pytest.mark.parametrize('equation, shapes', [
    ('i,i', [(2,), (3,)]), ('i,i->i', [(1,), (3,)]), ('ii', [(2, 3)]),
    ('ij,ij', [(1, 2, 3), (2, 3)]), ('ij,ij', [(2, 3), (3,)]),
    ('...i,...i', [(2, 2), (3, 2)]), ('...i,...i', [(2,), (1, 2)]),
    ('...i,j...', [(2, 3), (2, 3)])])
def test_axes_that_do_not_go_together(device, equation, shapes):
    with pytest.raises(type_check.InvalidType):
        F.einsum(equation, *device.send([np.zeros(s, 'f') for s in shapes]))


def test_integers_are_turned_down(device):
    with pytest.raises(type_check.InvalidType):
        F.einsum('i', device.send(np.zeros(2, 'i')))


@pytest.mark.parametrize('equation', [
    'i', 'i,i,i', 'i,i->j', 'i,i->...', 'i,i->ii', 'i,i1', 'i,..i', 'i,...i...',
    'i->i->i', 'i,i-i', 'i,@', 'i,i->,', '...,i->', 'i,j', 'ij,i'])
def test_equations_of_no_sense(device, equation):
    error = IndexError if equation == 'ij,i' else ValueError
    shape = (2, 3) if equation == 'i,j' else (2,)
    with pytest.raises(error):
        F.einsum(equation, device.send(np.zeros(shape)), device.send(np.zeros(2)))


@pytest.mark.parametrize('args, error', [
    ((), ValueError), (('i',), ValueError), ((np.zeros(2), ['a']), TypeError),
    ((np.zeros(2), [0.]), TypeError), ((np.zeros(2), [52]), IndexError),
    ((np.zeros(2),), TypeError), ((np.zeros(2), 0), TypeError)])
def test_arguments_of_no_sense(device, args, error):
    with pytest.raises(error):
        F.einsum(*device.send(args))


@pytest.mark.parametrize('in_subs, out_sub, shapes, out_shape', [
    ('i', 'ij', [(3,)], (3, 2)), ('', 'i', [()], (3,)),
    (',i', 'ji', [(), (2,)], (3, 2)),
    ('i', 'ii', [(3,)], (3, 3)), ('@i', '@iij', [(2, 3)], (2, 3, 3, 2)),
    ('@i', 'i', [(2, 3)], (3,)), ('i', '@i', [(3,)], (2, 2, 3))])
def test_diagonals_and_repetitions(device, in_subs, out_sub, shapes, out_shape):
    def f(*xs):
        return einsum.DiagEinSum(in_subs, out_sub, out_shape).apply(xs)[0]

    xs = [gradients.uniform(s, i) for i, s in enumerate(shapes)]
    y = f(*device.send(xs))
    assert y.shape == out_shape
    # What is summed over on the way back shows that it is the adjoint.
    back, = einsum.DiagEinSum(
        ','.join([out_sub, *in_subs.split(',')[1:]]), in_subs.split(',')[0],
        shapes[0]).apply(device.send((np.ones(out_shape), *xs[1:])))
    compare.assert_allclose(np.sum(y.array), np.sum(to_cpu(back.array) * xs[0]))
    gradients.check(device, f, *xs)


def test_attributes(device):
    y = F.einsum(
        '...ij,jk', Variable(device.send(np.zeros((1, 2, 2)))),
        device.send(np.zeros((2, 2))))
    assert (y.creator.in_subs, y.creator.out_sub) == ('@ij,jk', '@ik')


TENSORDOTS = [
    ((2, 3), (3, 4), 1), ((2, 3), (4,), 0), ((2, 3, 4), (3, 4, 2), 2), ((3,), (3,), 1),
    ((2, 3, 4), (4, 2, 3), ([2, 1], [0, 2])), ((2, 3), (2, 4), (0, 0)), ((), (), 0),
    ((2, 3), (4, 3), [-1, -1]), ((2, 3), (3, 2), ([0, 1], [1, 0])),
    ((2, 0), (0, 3), 1), ((0, 2), (2, 3), 1), ((2, 3), (3, 2), ((), ()))]


@pytest.mark.parametrize('a_shape, b_shape, axes', TENSORDOTS)
@pytest.mark.parametrize('dtypes', ['dd', 'ee', 'fe', 'df'])
def test_tensordot(device, a_shape, b_shape, axes, dtypes):
    a = Variable(device.send(gradients.uniform(a_shape, 0, dtypes[0])))
    b = Variable(device.send(gradients.uniform(b_shape, 1, dtypes[1])))
    y = F.tensordot(a, b, axes)
    expected = np.tensordot(a.array.astype('d'), b.array.astype('d'), axes)
    assert y.dtype == np.result_type(*dtypes)
    tolerance = {'e': 1e-2, 'f': 1e-3, 'd': 1e-6}[y.dtype.char]
    compare.assert_allclose(y.array, expected, rtol=tolerance, atol=tolerance)
    F.sum(y).backward()
    assert (a.grad.dtype.char, b.grad.dtype.char) == tuple(dtypes)
    if dtypes == 'dd':
        gradients.check(device, lambda a, b: F.tensordot(a, b, axes), a.array, b.array)


@pytest.mark.parametrize('axes, error', [
    (3, ValueError), (2 ** 40, ValueError),
    (([0], [0, 1]), ValueError), ((0, 0), ValueError),
    ((), ValueError), (([0], [1], [2]), ValueError), (1., TypeError),
    (None, TypeError), (([2], [0]), IndexError), (([0, 0], [1, 1]), ValueError),
    (([0, 1, 1], [0, 1, 1]), ValueError), (2, ValueError)])
def test_axes_of_no_sense(device, axes, error):
    with pytest.raises(error):
        F.tensordot(device.send(np.zeros((2, 3))), device.send(np.zeros((3, 2))), axes)
    with pytest.raises(type_check.InvalidType):
        F.tensordot(
            device.send(np.zeros((2, 3), 'i')), device.send(np.zeros((3, 2))), 1)
