"""The stand-in counts launches, synchronisations and copies as CuPy makes them."""
import os

import numpy as np
import pytest

from tests.doubles.host_cupy import ledger

HOST = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def x(cupy):
    return cupy.asarray(HOST)


# Expected numbers are those that CuPy's sources show.
@pytest.mark.parametrize('call, launches', [
    # Views and memory that is not filled
    (lambda cp, x: x.T, 0),
    (lambda cp, x: x.reshape(3, 2), 0),
    (lambda cp, x: x[0, ::2], 0),
    (lambda cp, x: x[None, ..., 1], 0),
    (lambda cp, x: cp.empty(3), 0),
    (lambda cp, x: cp.empty_like(x), 0),
    (lambda cp, x: cp.broadcast_to(x, (2, 2, 3)), 0),
    (lambda cp, x: cp.split(x, 3, axis=1), 0),
    (lambda cp, x: cp.ascontiguousarray(x), 0),
    (lambda cp, x: x.astype('f', copy=False), 0),
    (lambda cp, x: cp.zeros((0, 3)), 0),
    (lambda cp, x: x[:0] + 1, 0),
    # One operation
    (lambda cp, x: cp.zeros(3), 1),
    (lambda cp, x: cp.arange(3), 1),
    (lambda cp, x: x.T.reshape(6), 1),
    (lambda cp, x: cp.ascontiguousarray(x.T), 1),
    (lambda cp, x: x.astype('d'), 1),
    (lambda cp, x: x + 1, 1),
    (lambda cp, x: x.sum(axis=0), 1),
    (lambda cp, x: x.max(), 1),
    (lambda cp, x: x.__setitem__(0, 1), 1),
    (lambda cp, x: x.__setitem__(0, x[1]), 1),
    (lambda cp, x: cp.where(x > 0, x, 0), 2),
    (lambda cp, x: cp.where(True, x, 0), 1),
    (lambda cp, x: cp.clip(x, 0, 1), 1),
    (lambda cp, x: cp.clip(x, 0, None), 1),
    (lambda cp, x: x.dot(x.T), 1),
    (lambda cp, x: cp.matmul(x, x.T), 1),
    (lambda cp, x: cp.tensordot(x, x, ((1,), (1,))), 1),
    (lambda cp, x: x.take(cp.asarray([0]), 0), 1),
    (lambda cp, x: x[cp.asarray([0, 1])], 1),
    (lambda cp, x: cp.random.normal(size=3, dtype='f'), 1),
    # Several
    (lambda cp, x: x.mean(axis=0), 1),
    (lambda cp, x: x.mean(axis=1), 2),
    (lambda cp, x: x.astype('e').mean(axis=0), 3),
    (lambda cp, x: x.var(axis=0), 2),
    (lambda cp, x: cp.concatenate([x, x, x]), 3),
    (lambda cp, x: cp.concatenate([x] * 9), 1),
    (lambda cp, x: cp.stack([x, x]), 2),
    (lambda cp, x: cp.eye(3), 2),
    (lambda cp, x: x.ravel().dot(x.ravel()), 2),
    (lambda cp, x: cp.add(x[:, 1:], 1, x[:, :-1]), 2),
    (lambda cp, x: cp.matmul(x.astype('e')[None], x.T.astype('e')[None]), 6),
    (lambda cp, x: cp.tensordot(cp.empty((2, 2, 3)), cp.empty((2, 4)), (1, 0)), 2),
    (lambda cp, x: x[cp.asarray([0, 1]), cp.asarray([0, 1])], 4),
])
def test_launches(cupy, x, call, launches):
    with ledger.record() as counts:
        call(cupy, x)
    assert len(counts.launches) == launches, counts.launches
    assert not counts.synchronisations


@pytest.mark.parametrize('call', [
    lambda cp, x: float(x[0, 0]), lambda cp, x: int(x[0, 0]),
    lambda cp, x: bool(x[0, 0]), lambda cp, x: x[0, 0].item(), lambda cp, x: x.get(),
    lambda cp, x: cp.asnumpy(x), lambda cp, x: x.tolist(), lambda cp, x: str(x),
    lambda cp, x: x[x > 1], lambda cp, x: x.__setitem__(x > 1, 0),
    lambda cp, x: cp.nonzero(x), lambda cp, x: cp.where(x > 1),
    lambda cp, x: cp.argwhere(x), lambda cp, x: cp.unique(x),
    lambda cp, x: cp.bincount(x.astype('i').ravel()),
    lambda cp, x: cp.cuda.Device().synchronize(),
    lambda cp, x: cp.cuda.Stream.null.synchronize(),
    lambda cp, x: cp.cuda.Event().synchronize(),
    lambda cp, x: cp.cuda.runtime.deviceSynchronize(),
    lambda cp, x: list(range(x.argmax())), lambda cp, x: x.fill(x[0, 0]),
])
def test_synchronisations(cupy, x, call):
    with ledger.record() as counts:
        call(cupy, x)
    assert counts.synchronisations
    what, place = counts.synchronisations[0]
    path, _, line = place.rpartition(':')
    assert what and os.path.samefile(path, __file__) and int(line) > 0


@pytest.mark.parametrize('call, nbytes', [
    (lambda cp, x: cp.asarray(HOST), 24), (lambda cp, x: cp.array([1, 2]), 16),
    (lambda cp, x: x.set(HOST), 24), (lambda cp, x: x[[0, 1, 1]], 24),
    (lambda cp, x: x[np.array([0, 1], 'i')], 8),
    (lambda cp, x: x.take([0]), 8), (lambda cp, x: cp.add.at(x, [0, 1], 1), 20),
    (lambda cp, x: cp.concatenate([x] * 9), 72),
])
def test_copies_to_the_device(cupy, x, call, nbytes):
    with ledger.record() as counts:
        call(cupy, x)
    assert sum(n for n, _ in counts.to_device) == nbytes
    assert not counts.synchronisations and not counts.to_host


def test_copies_to_the_host(cupy, x):
    with ledger.record() as counts:
        x.get()
        float(x[0, 0])
    assert [n for n, _ in counts.to_host] == [24, 4]
    assert not counts.launches and not counts.to_device


def test_records_can_be_nested(cupy, x):
    with ledger.record() as outer:
        x + 1
        with ledger.record() as inner:
            x * 2
    x - 1
    assert inner.launches == ['multiply']
    assert outer.launches == ['add', 'multiply']
    assert 'multiply' in str(outer)


def test_fusion_is_one_launch(cupy, x):
    @cupy.fuse()
    def swish(x):
        return x / (1 + cupy.exp(-x))

    with ledger.record() as counts:
        y = swish(x)
    assert counts.launches == ['swish']
    np.testing.assert_allclose(y.get(), HOST / (1 + np.exp(-HOST)), rtol=1e-6)


def test_memory_hooks(cupy):
    class Hook(cupy.cuda.MemoryHook):
        sizes = []

        def malloc_postprocess(self, **kwargs):
            self.sizes.append(kwargs['mem_size'])

    with Hook():
        cupy.zeros(3)
        cupy.empty(129)
    cupy.zeros(3)
    assert Hook.sizes == [512, 1536]
