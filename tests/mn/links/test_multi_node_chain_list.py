import numpy
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import testing
from chainer_fast.mn import MultiNodeChainList
from tests.mn.functions.recorder import Recorder

pytestmark = pytest.mark.filterwarnings('ignore:.* is experimental:FutureWarning')


class Part(chainer_fast.Chain):
    """A layer that takes one input or several, or tuples of them."""

    def __init__(self, seed, outputs=1):
        super().__init__()
        weights = numpy.random.RandomState(seed).uniform(-1, 1, (4, 4))
        self.outputs = outputs
        with self.init_scope():
            self.layer = L.Linear(4, 4, initialW=weights)

    def forward(self, *xs):
        flat = []
        for x in xs:
            flat += x if isinstance(x, tuple) else [x]
        y = F.tanh(self.layer(sum(flat)))
        return y if self.outputs == 1 else tuple([y * i for i in range(self.outputs)])


class Model(MultiNodeChainList):

    def __init__(self, comm, *parts):
        super().__init__(comm)
        for part in parts:
            self.add_link(*part)


@pytest.fixture(autouse=True)
def double():
    with chainer_fast.using_config('dtype', numpy.float64):
        yield


def _data():
    return numpy.random.RandomState(1).normal(size=(5, 4))


def _train(model, batches):
    optimizer = chainer_fast.optimizers.MomentumSGD(.1)
    optimizer.setup(model)
    losses = []
    for x in batches:
        model.cleargrads()
        y = model(*x)
        if y.size:
            y = F.sum(y * y)
            losses.append(float(y.array))
        y.backward()
        optimizer.update()
    return losses


def _same(found, expected):
    for (_, a), (_, b) in zip(
            sorted(found.namedparams()), sorted(expected.namedparams()), strict=True):
        testing.assert_allclose(a.array, b.array, atol=1e-13, rtol=1e-11)


@pytest.mark.mpi
def test_training_is_that_of_the_model_of_one_process(comm):
    """A ring: the first process begins and ends, all others have one part each."""
    if comm.size == 1:
        return
    rank, size = comm.rank, comm.size
    before, after = (rank - 1) % size, (rank + 1) % size
    if rank == 0:
        model = Model(comm, (Part(0), None, after), (Part(size), before, None))
        own = [(0, model[0]), (size, model[1])]
    else:
        model = Model(comm, (Part(rank), before, after))
        own = [(rank, model[0])]

    whole = chainer_fast.Sequential(*[Part(i) for i in range(size + 1)])
    losses = _train(model, [(_data(),) if rank == 0 else ()] * 3)
    expected = _train(whole, [(_data(),)] * 3)
    assert len(losses) == (3 if rank == 0 else 0)
    testing.assert_allclose(
        numpy.array(losses), numpy.array(expected[:len(losses)]), rtol=1e-11)
    for number, part in own:
        _same(part, whole[number])


@pytest.mark.mpi
@pytest.mark.parametrize('own_first', [True, False])
@pytest.mark.parametrize('outputs', [1, 2])
def test_branches(comm, own_first, outputs):
    """The first process gives to all, itself included, and adds what comes back."""
    others = list(range(1, comm.size))
    ranks = [0, *others] if own_first else [*others, 0]
    if comm.rank == 0:
        model = Model(
            comm, (Part(100, outputs), None, ranks), (Part(0, outputs), 0, 0),
            (Part(200), ranks, None))
    else:
        model = Model(comm, (Part(comm.rank, outputs), 0, 0))

    whole = chainer_fast.ChainList(
        *[Part(rank, outputs) for rank in range(comm.size)], Part(100, outputs),
        Part(200))

    def forward(x):
        *branches, start, end = whole
        h = start(x)
        return end(*[branches[rank](h) for rank in ranks])
    whole.forward = forward
    _train(model, [(_data(),) if comm.rank == 0 else ()] * 2)
    _train(whole, [(_data(),)] * 2)
    if comm.rank == 0:
        for mine, theirs in zip(model, (whole[-2], whole[0], whole[-1]), strict=True):
            _same(mine, theirs)
    else:
        _same(model[0], whole[comm.rank])


@pytest.mark.mpi
def test_result_before_what_is_sent(comm):
    """The backward pass from the result finds the link that sends after it."""
    if comm.size == 1:
        return
    if comm.rank == 0:
        model = Model(comm, (Part(0), None, None), (Part(1), None, 1))
    elif comm.rank == 1:
        model = Model(comm, (Part(2), 0, None))
    else:
        return
    _train(model, [(_data(),) if comm.rank == 0 else ()])
    assert all(p.grad is not None and abs(p.grad).max() > 0 for p in model.params())


@pytest.mark.mpi
def test_links_without_inputs(comm):
    """A link with nothing to connect comes after one that has sent."""
    if comm.size == 1:
        return

    class Source(Part):
        def forward(self):
            return super().forward(_data())

    if comm.rank == 0:
        model = Model(comm, (Source(0), None, 1), (Source(1), None, None))
    elif comm.rank == 1:
        model = Model(comm, (Part(2), 0, None))
    else:
        return
    _train(model, [()])
    assert all(abs(p.grad).max() > 0 for p in model.params())


@pytest.mark.mpi
@pytest.mark.parametrize('integer', [int, numpy.int64])
def test_links_of_one_process(comm, integer):
    rank = integer(comm.rank)
    model = Model(comm, (Part(0), None, rank), (Part(1), rank, None))
    whole = chainer_fast.Sequential(Part(0), Part(1))
    _train(model, [(_data(),)])
    _train(whole, [(_data(),)])
    _same(model, whole)


@pytest.mark.mpi
def test_ranks_without_partner(comm):
    with pytest.raises(ValueError, match='each rank_in needs a rank_out'):
        Model(comm, (Part(0), comm.rank, None))()
    with pytest.raises(ValueError, match='each rank_out needs a rank_in'):
        Model(comm, (Part(0), None, comm.rank))(_data())


@pytest.mark.mpi
def test_one_link_gives_the_result(comm):
    model = Model(comm, (Part(0), None, None))
    with pytest.raises(ValueError, match='returns its result'):
        model.add_link(Part(1))
    assert len(model) == 1


def test_order_of_messages():
    """It is the one of Chainer, so that every process has the same."""
    comm = Recorder(size=3)
    x = chainer_fast.Variable(numpy.ones((1, 4)))
    comm.answer(numpy.ones((1, 4)), (numpy.ones((1, 4)), numpy.ones((1, 4))))
    model = Model(
        comm, (Part(0), None, [2, 1]), (Part(1), [1, 2], None))
    y = model(x)
    assert [(name, *call[-2:]) for name, *call in comm.asked] == [
        ('send', 2, 0), ('send', 1, 0), ('recv', 1, 0), ('recv', 2, 0)]
    comm.answer(numpy.ones((1, 4)), numpy.ones((1, 4)))
    F.sum(y).backward()
    assert [(name, *call[-2:]) for name, *call in comm.asked] == [
        ('send', 2, 0), ('send', 1, 0), ('recv', 1, 0), ('recv', 2, 0)]


def test_it_is_experimental():
    with pytest.warns(FutureWarning, match='chainermn.MultiNodeChainList is'):
        MultiNodeChainList(Recorder())
