import numpy
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import testing
from chainer_fast.mn.functions import (
    point_to_point_communication,
    pseudo_connect,
    recv,
    send,
)
from tests.mn.functions.recorder import Recorder

pytestmark = pytest.mark.filterwarnings('ignore:.* is experimental:FutureWarning')


def _values(rank, shape, dtype):
    return numpy.random.RandomState(rank).uniform(-1, 1, shape).astype(dtype)


def _round(comm, x, **options):
    """Send to the next process, and return what the one before has sent."""
    delegate = send(x, comm, (comm.rank + 1) % comm.size, tag=3)
    return recv(comm, (comm.rank - 1) % comm.size, delegate, tag=3, **options)


@pytest.mark.mpi
@pytest.mark.parametrize('dtype', [numpy.float16, numpy.float32, numpy.float64])
@pytest.mark.parametrize('shape', [(), (2, 3), (0, 2)])
def test_arrays_and_gradients_go_both_ways(comm, dtype, shape):
    if comm.size == 1:
        return
    before, after = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
    x = chainer_fast.Variable(_values(comm.rank, shape, dtype))
    y = _round(comm, x)
    testing.assert_allclose(y.array, _values(before, shape, dtype), atol=0, rtol=0)
    assert y.dtype == dtype
    y.grad = _values(100 + comm.rank, shape, dtype)
    y.backward()
    testing.assert_allclose(
        x.grad, _values(100 + after, shape, dtype), atol=0, rtol=0)
    assert x.grad.dtype == dtype


@pytest.mark.mpi
def test_several_variables_of_which_one_is_used(comm):
    if comm.size == 1:
        return
    xs = [chainer_fast.Variable(_values(i, (i + 1,), dtype))
          for i, dtype in enumerate((numpy.float32, numpy.float64, numpy.float16))]
    ys = _round(comm, xs)
    assert [y.dtype for y in ys] == [x.dtype for x in xs]
    F.sum(ys[1] * 3).backward()
    assert [x.grad.tolist() for x in xs] == [[0.], [3., 3.], [0., 0., 0.]]
    assert [x.grad.dtype for x in xs] == [x.dtype for x in xs]


@pytest.mark.mpi
@pytest.mark.parametrize('force_tuple', [False, True])
def test_one_variable_comes_as_tuple_if_asked(comm, force_tuple):
    if comm.size == 1:
        return
    x = chainer_fast.Variable(_values(0, (2,), 'f'))
    y = _round(comm, [x], force_tuple=force_tuple)
    assert isinstance(y, tuple) == force_tuple
    F.sum(y[0] if force_tuple else y).backward()
    assert x.grad.tolist() == [1, 1]


@pytest.mark.mpi
def test_backward_pass_of_arrays_takes_part(comm):
    """The other side sends gradients in any case."""
    if comm.size == 1:
        return
    F.sum(_round(comm, numpy.ones(2, 'f'))).backward()
    # Nothing is left that this could receive.
    F.sum(_round(comm, numpy.ones(3, 'f'))).backward()


@pytest.mark.mpi
def test_tags_tell_messages_apart(comm):
    if comm.size == 1:
        return
    before, after = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
    with chainer_fast.no_backprop_mode():
        for tag in (1, 2):
            send(numpy.full(1, tag, 'f'), comm, after, tag=tag)
        assert [float(recv(comm, before, tag=tag).array[0]) for tag in (2, 1)] == [2, 1]


@pytest.mark.mpi
def test_two_messages_and_a_backward_pass_from_their_delegates(comm):
    if comm.rank == 0 and comm.size > 1:
        x = chainer_fast.Variable(numpy.full(3, 2, 'f'))
        first, second = send(x * 2, comm, 1), send(x * 3, comm, 1)
        delegate, = pseudo_connect(first, second)
        delegate.backward()
        testing.assert_allclose(x.grad, 2 * 6 * x.array)
    elif comm.rank == 1:
        first, second = recv(comm, 0), recv(comm, 0)
        F.sum(first * second).backward()


@pytest.mark.mpi
def test_own_rank_is_refused(comm):
    for call in (lambda: send(numpy.ones(1, 'f'), comm, comm.rank),
                 lambda: recv(comm, comm.rank)):
        with pytest.raises(ValueError, match='rank %d is this process' % comm.rank):
            call()


def test_delegate_variable_of_send():
    comm = Recorder()
    delegate = send(numpy.ones(2, 'f'), comm, 1, tag=7)
    assert delegate.name == 'delegate_variable'
    assert delegate.shape == (0,) and delegate.dtype == 'f' and delegate.requires_grad
    function = delegate.creator
    assert isinstance(function, point_to_point_communication.Send)
    assert isinstance(function, chainer_fast.Function)
    assert function.label == 'Send (peer_rank: 1)'
    assert (function.comm, function.peer_rank, function.peer_tag) == (comm, 1, 7)
    assert [x.requires_grad for x in function.inputs] == [False, True]
    (name, data, *ends), = comm.asked
    assert (name, data.tolist(), ends) == ('send', [1, 1], [1, 7])


def test_recv_hands_backward_on_to_its_delegate():
    comm = Recorder()
    comm.answer(numpy.ones(2, 'f'))
    delegate = chainer_fast.Variable(numpy.ones(3, 'd'))
    y = recv(comm, 1, delegate, tag=7)
    assert y.creator.label == 'Recv (peer_rank: 1)'
    assert delegate.name == 'delegate_variable'
    y.grad = numpy.full(2, 5, 'f')
    y.backward()
    assert delegate.grad.tolist() == [0, 0, 0]
    name, (gradient,), *ends = comm.asked[1]
    assert (name, gradient.tolist(), ends) == ('send', [5, 5], [1, 7])


@pytest.mark.parametrize('data', [
    numpy.ones(2, 'd'), (numpy.ones(2, 'd'),), [numpy.ones(2, 'd')]])
def test_gradients_come_in_the_dtype_of_the_variable(data):
    comm = Recorder()
    x = chainer_fast.Variable(numpy.zeros(2, 'f'))
    delegate = send(x, comm, 1)
    comm.answer(data)
    delegate.backward()
    assert x.grad.dtype == 'f' and x.grad.tolist() == [1, 1]


def test_sent_arrays_are_not_kept():
    """They are large, and their gradients do not need them."""
    delegate = send((chainer_fast.Variable(numpy.ones(2, 'f')) * 2,), Recorder(), 1)
    assert delegate.creator.inputs[0].data is None


@pytest.mark.parametrize('x', [None, 3.])
def test_things_that_are_no_arrays(x):
    with pytest.raises(TypeError):
        send(x, Recorder(), 1)


def test_delegate_has_to_be_a_variable():
    with pytest.raises(AttributeError):
        recv(Recorder(), 1, numpy.ones(1, 'f'))


def test_they_are_experimental():
    comm = Recorder()
    comm.answer(numpy.ones(2, 'f'))
    with pytest.warns(FutureWarning) as found:
        send(recv(comm, 1), comm, 1)
    assert [str(w.message).split()[0] for w in found] == [
        'chainermn.functions.recv', 'chainermn.functions.Recv',
        'chainermn.functions.send', 'chainermn.functions.Send']
