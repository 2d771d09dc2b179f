"""Gradients through random graphs in both engines are those of PyTorch alone."""
import random

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F

torch = pytest.importorskip('torch')
bridge = pytest.importorskip('chainer_fast.interop.torch')

OPERATIONS = [
    lambda library, x, y: x + y, lambda library, x, y: x - y,
    lambda library, x, y: x * y, lambda library, x, y: library.sin(x),
    lambda library, x, y: library.tanh(x)]


def convert(value, in_torch):
    if isinstance(value, torch.Tensor) == in_torch:
        return value
    return bridge.to_torch(value) if in_torch else bridge.from_torch(value)


def build(seed):
    """Return pairs of leaves, and pairs of results, here and by PyTorch alone."""
    choose = random.Random(seed)
    values = np.random.RandomState(seed).standard_normal((3, 4))
    leaves = []
    for value in values:
        expected = torch.tensor(value, requires_grad=True)
        leaf = torch.tensor(value, requires_grad=True) if choose.random() < .5 else (
            chainer.Variable(value.copy()))
        leaves.append((leaf, expected))
    pool = list(leaves)
    for _ in range(choose.randint(4, 12)):
        in_torch, operation = choose.random() < .5, choose.choice(OPERATIONS)
        (x, expected_x), (y, expected_y) = choose.choice(pool), choose.choice(pool)
        x, y = convert(x, in_torch), convert(y, in_torch)
        pool.append((
            operation(torch if in_torch else F, x, y),
            operation(torch, expected_x, expected_y)))
    in_torch = choose.random() < .5
    y = sum([convert(y, in_torch) * k for k, (y, _) in enumerate(pool[-4:], 1)])
    expected = sum([y * k for k, (_, y) in enumerate(pool[-4:], 1)])
    return leaves, y, expected


def zero_if_none(grad):
    return np.zeros(4) if grad is None else np.asarray(grad)


@pytest.mark.parametrize('seed', range(40))
def test_gradients(seed):
    leaves, y, expected = build(seed)
    y = y.sum() if isinstance(y, torch.Tensor) else F.sum(y)
    for _ in range(2):
        if isinstance(y, torch.Tensor):
            y.backward(retain_graph=True)
        else:
            y.backward()
        expected.sum().backward(retain_graph=True)
        for leaf, other in leaves:
            np.testing.assert_allclose(
                zero_if_none(leaf.grad), zero_if_none(other.grad), 1e-9, 1e-12)


@pytest.mark.parametrize('seed', range(40))
def test_gradients_of_second_order(seed):
    leaves, y, expected = build(seed)
    y = convert(y, True)
    inputs = [leaf for leaf, _ in leaves if isinstance(leaf, torch.Tensor)]
    if not inputs:
        return
    others = [other for leaf, other in leaves if isinstance(leaf, torch.Tensor)]
    found = torch.autograd.grad(
        y.sum(), inputs, create_graph=True, allow_unused=True)
    wanted = torch.autograd.grad(
        expected.sum(), others, create_graph=True, allow_unused=True)
    total = sum([(gx ** 2).sum() for gx in found if gx is not None])
    other_total = sum([(gx ** 2).sum() for gx in wanted if gx is not None])
    if isinstance(other_total, torch.Tensor) and other_total.requires_grad:
        total.backward()
        other_total.backward()
    for leaf, other in leaves:
        np.testing.assert_allclose(
            zero_if_none(leaf.grad), zero_if_none(other.grad), 1e-8, 1e-10)
