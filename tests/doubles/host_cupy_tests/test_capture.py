"""Recorded graphs: the stand-in's, and where there is a card, CuPy's."""
import numpy
import pytest

from chainer_fast.backends import cuda
from chainer_fast.graph_optimizations._gpu.recorder import Recorder

pytestmark = pytest.mark.gpu


def test_nothing_is_carried_out_until_launched():
    a, b = cuda.cupy.arange(4, dtype='f'), cuda.cupy.zeros(4, 'f')
    c = None

    def operations():
        nonlocal b, c
        c = a * 2 + 1
        b += c
        b[1:3] = c[1:3] * 10

    recorder = Recorder()      # which has the memory
    graph, _ = recorder.record(operations)
    numpy.testing.assert_array_equal(b.get(), 0)
    graph.launch()
    numpy.testing.assert_array_equal(b.get(), [1, 30, 50, 7])
    a += 1
    graph.launch()
    numpy.testing.assert_array_equal(b.get(), [4, 50, 70, 16])
    numpy.testing.assert_array_equal(c.get(), [3, 5, 7, 9])


@pytest.mark.parametrize('operation', [
    lambda a: float(a.sum()), lambda a: a.get(), lambda a: cuda.cupy.asarray([1.]),
    lambda a: a.dot(a.T), lambda a: cuda.cupy.random.rand(3),
    lambda a: cuda.cupy.random.get_random_state().rand(3),
    lambda a: cuda.cupy.linalg.inv(a), lambda a: cuda.cupy.nonzero(a)])
def test_what_cannot_be_recorded(operation):
    a = cuda.cupy.eye(3, dtype='f')
    with pytest.raises((RuntimeError, NotImplementedError), match='capturing|capture'):
        Recorder().record(lambda: operation(a))
    # Everything is as it was before.
    assert not cuda.cupy.cuda.get_current_stream().is_capturing()
    operation(a)


def test_other_streams_are_not_recorded():
    a = cuda.cupy.zeros(3, 'f')

    def operations():
        with cuda.Stream.null:
            a.fill(2)

    Recorder().record(operations)
    numpy.testing.assert_array_equal(a.get(), 2)


def test_streams_take_turns(monkeypatch):
    recorder = Recorder()
    order = []
    monkeypatch.setattr(cuda.Stream, 'wait_event',
                        lambda stream, event: order.append(('wait', stream)))
    monkeypatch.setattr(cuda.Event, 'record',
                        lambda event, stream: order.append(('record', stream)))

    def work(stream):
        order.clear()
        with stream, recorder.turns:
            order.append('work')
        return order

    default, first, second = cuda.Stream.null, cuda.Stream(), cuda.Stream()
    for _ in range(2):
        assert work(default) == ['work']
        assert work(first) == [
            ('record', default), ('wait', first), 'work', ('record', first)]
        assert work(first) == [('wait', first), 'work', ('record', first)]
        assert work(second) == [('wait', second), 'work', ('record', second)]
        assert work(default) == [('wait', default), 'work']


def test_the_default_stream_does_not_capture():
    with pytest.raises(RuntimeError, match='default'):
        cuda.Stream.null.begin_capture()


def test_copies_are_independent_and_contiguous():
    a = cuda.cupy.arange(6).reshape(2, 3).T
    b = Recorder().copy(a)
    assert b.flags.c_contiguous
    a[...] = 0
    numpy.testing.assert_array_equal(b.get(), numpy.arange(6).reshape(2, 3).T)
