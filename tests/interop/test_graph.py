"""Gradients through values that pass between the graphs of PyTorch and Chainer."""
import gc
import weakref

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L

torch = pytest.importorskip('torch')
bridge = pytest.importorskip('chainer_fast.interop.torch')
to_torch, from_torch = bridge.to_torch, bridge.from_torch


def draw(*shape, seed=0):
    return np.random.RandomState(seed).standard_normal(shape)


def leaf(*shape, seed=0):
    return torch.from_numpy(draw(*shape, seed=seed)).requires_grad_()


def through_chainer(x):
    """sin by Chainer, of a tensor."""
    return to_torch(F.sin(from_torch(x)))


def through_torch(x):
    """sin by PyTorch, of a variable."""
    return from_torch(torch.sin(to_torch(x)))


def test_backward_of_torch_reaches_tensors_and_variables():
    x, w = leaf(3), chainer.Variable(draw(3, seed=1))
    y = to_torch(F.sin(from_torch(x)) * w)
    y.sum().backward()
    np.testing.assert_allclose(x.grad, np.cos(draw(3)) * w.array)
    np.testing.assert_allclose(w.grad, np.sin(draw(3)))
    to_torch(w * 2).sum().backward()            # adds, as everywhere
    np.testing.assert_allclose(w.grad, np.sin(draw(3)) + 2)


def test_backward_of_chainer_reaches_tensors_and_variables():
    x, w = chainer.Variable(draw(3)), leaf(3, seed=1)
    y = from_torch(torch.sin(to_torch(x)) * w)
    F.sum(y).backward()
    np.testing.assert_allclose(x.grad, np.cos(x.array) * w.detach().numpy())
    np.testing.assert_allclose(w.grad, np.sin(x.array))
    F.sum(from_torch(w * 2)).backward()
    np.testing.assert_allclose(w.grad, np.sin(x.array) + 2)


def test_memory_is_shared():
    x = chainer.Variable(draw(3))
    assert to_torch(x).data_ptr() == x.array.ctypes.data
    t = leaf(3)
    assert from_torch(t).array.ctypes.data == t.data_ptr()
    assert to_torch(x.array).data_ptr() == x.array.ctypes.data


@pytest.mark.parametrize('function', [
    through_chainer,
    lambda x: torch.exp(through_chainer(x * 2)) * x,
    lambda x: to_torch(F.tanh(through_torch(from_torch(x)))),
    # Ways around: what one engine has counted, the other must not.
    lambda x: x + through_chainer(x) * through_chainer(through_chainer(x)),
    lambda x: to_torch((lambda v: v * v + through_torch(v * v))(from_torch(x))),
    lambda x: to_torch((lambda v: v + through_torch(v * through_torch(v)))(
        from_torch(torch.tanh(x)))),
    lambda x: to_torch(from_torch(x)),
    lambda x: to_torch(F.exp(from_torch(x)), F.sin(from_torch(x)))[1],
])
def test_gradients_of_first_and_second_order(function):
    x = leaf(2, 3)
    assert torch.autograd.gradcheck(function, x)
    assert torch.autograd.gradgradcheck(function, x)


def test_third_order():
    x = leaf(3)
    y = through_chainer(x)
    for _ in range(3):
        y, = torch.autograd.grad(y.sum(), x, create_graph=True)
    np.testing.assert_allclose(y.detach(), -np.cos(draw(3)))
    x = chainer.Variable(draw(3))
    y = through_torch(x)
    for _ in range(3):
        y, = chainer.grad([F.sum(y)], [x], enable_double_backprop=True)
    np.testing.assert_allclose(y.array, -np.cos(x.array))


def test_ways_around_in_chainers_engine():
    x = chainer.Variable(draw(4))
    for _ in range(2):
        h = F.sin(x)
        y = h + through_torch(h) * h
        x.cleargrad()
        F.sum(y).backward()
        h = np.sin(x.array)
        expected = np.cos(x.array) * (1 + np.cos(h) * h + np.sin(h))
        np.testing.assert_allclose(x.grad, expected)
    # A leaf of PyTorch's behind a variable that is used beside it.
    w = leaf(4)
    a = from_torch(w * 2)
    y = through_torch(a) + a
    F.sum(y).backward()
    np.testing.assert_allclose(w.grad, 2 * np.cos(2 * draw(4)) + 2)


def test_gradients_have_memory_of_their_own():
    # PyTorch adds to gradients in place: on the way, and in leaves.
    x, v = leaf(3), chainer.Variable(draw(3))
    one, two = x * 2, x * 3
    beside = one * 5 + two * 7
    y = to_torch(from_torch(one) + from_torch(two) + v)
    (beside + y * torch.ones(3)).sum().backward()
    np.testing.assert_allclose(x.grad, np.full(3, 36))
    x.grad, v.grad, g = None, None, torch.ones(3, dtype=torch.float64)
    for _ in range(2):
        to_torch(from_torch(x) + v).backward(g)
        (to_torch(v) + x).backward(g)
    np.testing.assert_array_equal(x.grad, np.full(3, 4))
    np.testing.assert_array_equal(v.grad, np.full(3, 4))
    v.grad *= 2
    np.testing.assert_array_equal(x.grad, np.full(3, 4))
    np.testing.assert_array_equal(g, np.ones(3))


def test_unused_variables_get_no_gradient():
    v, w = chainer.Variable(draw(3)), chainer.Variable(draw(3))
    to_torch(F.sin(v), F.sin(w))[0].sum().backward()
    assert v.grad is not None and w.grad is None


def test_gradient_penalty():
    w, x = chainer.Parameter(draw(3, 3)), leaf(2, 3, seed=1)
    y = to_torch(F.tanh(F.matmul(from_torch(x), w)))
    gx, = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert w.grad is None       # torch.autograd.grad sets nothing
    (gx ** 2).sum().backward()

    w2 = torch.from_numpy(draw(3, 3)).requires_grad_()
    x2 = leaf(2, 3, seed=1)
    gx, = torch.autograd.grad(torch.tanh(x2 @ w2).sum(), x2, create_graph=True)
    (gx ** 2).sum().backward()
    np.testing.assert_allclose(w.grad, w2.grad)
    np.testing.assert_allclose(x.grad, x2.grad)


def test_grad_of_chainer_sets_nothing():
    w, x = leaf(3), chainer.Variable(draw(3, seed=1))
    y = from_torch(torch.sin(to_torch(x)) * w)
    gx, = chainer.grad([F.sum(y)], [x])
    np.testing.assert_allclose(gx.array, np.cos(x.array) * draw(3))
    assert w.grad is None and x.grad is None


def test_unused_and_integer_results():
    x = leaf(3)
    a, b = from_torch(x, torch.tensor([2, 0, 1]))
    assert not b.requires_grad and b.dtype == 'int64'
    y, order = to_torch(a * 2, b)
    assert y.requires_grad and not order.requires_grad
    y.sum().backward()
    np.testing.assert_allclose(x.grad, [2, 2, 2])


def test_switched_off():
    x = leaf(3)
    with torch.no_grad():
        assert not from_torch(x).requires_grad
        assert not to_torch(chainer.Variable(draw(3))).requires_grad
    with chainer.no_backprop_mode():
        assert not from_torch(x).requires_grad
        assert not to_torch(chainer.Variable(draw(3))).requires_grad
    assert not to_torch(draw(3)).requires_grad
    assert not from_torch(x.detach()).requires_grad


def test_changes_in_place_are_noticed():
    x = leaf(3)
    y = to_torch(F.exp(from_torch(x)))
    y.mul_(2)
    with pytest.raises(RuntimeError, match='inplace'):
        y.sum().backward()
    v = chainer.Variable(draw(3))
    t = to_torch(v) * 1
    y = F.exp(from_torch(t))
    t.mul_(2)
    with pytest.raises(RuntimeError, match='changed in place after from_torch'):
        F.sum(y).backward()


def test_a_tensor_that_leads_nowhere():
    y = from_torch(torch.zeros(2).requires_grad_() * 1)
    F.sum(y).backward()


@pytest.mark.parametrize('tensor, message', [
    (torch.zeros(2, dtype=torch.bfloat16), 'bfloat16.*float first'),
    (torch.zeros(2, 2).to_sparse(), 'to_dense'),
])
def test_what_numpy_lacks_is_refused(tensor, message):
    with pytest.raises(TypeError, match=message):
        from_torch(tensor)


def test_uninitialized_parameters_are_refused():
    with pytest.raises(ValueError, match='parameter W is not initialized'):
        to_torch(L.Linear(None, 2).W)


def test_read_only_arrays_and_negative_strides_are_copied():
    array = draw(3)
    array.flags.writeable = False
    t = to_torch(array)
    assert t.data_ptr() != array.ctypes.data
    np.testing.assert_array_equal(to_torch(array[::-1]), array[::-1])


def test_half_precision():
    x = torch.ones(3, dtype=torch.float16, requires_grad=True)
    y = through_chainer(x)
    assert y.dtype == torch.float16
    y.sum().backward()
    assert x.grad.dtype == torch.float16


def test_memory_is_freed_without_the_garbage_collector():
    gc.collect()
    gc.disable()
    try:
        x, v = leaf(3), chainer.Variable(draw(3))
        mid = F.sin(from_torch(x)) * v
        alive = weakref.ref(mid.node)
        y = to_torch(mid)
        (y + to_torch(through_torch(v))).sum().backward()
        del mid, y
        assert alive() is None
    finally:
        gc.enable()
