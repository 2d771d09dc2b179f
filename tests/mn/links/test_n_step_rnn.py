import numpy
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import testing
from chainer_fast.mn.functions import pseudo_connect
from chainer_fast.mn.links import create_multi_node_n_step_rnn

pytestmark = pytest.mark.filterwarnings('ignore:.* is experimental:FutureWarning')

networks = pytest.mark.parametrize('network', [
    L.NStepLSTM, L.NStepBiLSTM, L.NStepGRU, L.NStepBiGRU, L.NStepRNNTanh,
    L.NStepRNNReLU, L.NStepBiRNNTanh, L.NStepBiRNNReLU])


@pytest.fixture(autouse=True)
def double():
    with chainer_fast.using_config('dtype', numpy.float64):
        yield


def _network(network, rank):
    numpy.random.seed(rank)
    return network(2, 3, 5, 0.)


def _sequences(rank):
    random = numpy.random.RandomState(50 + rank)
    return [random.normal(size=(length, 3)) for length in (4, 2)]


def _loss(ys):
    return sum([F.sum(y * y) for y in ys])


@pytest.mark.mpi
@networks
def test_states_go_through_all_processes(comm, network):
    rank, last = comm.rank, comm.size - 1
    link = create_multi_node_n_step_rnn(
        _network(network, rank), comm, rank_in=rank - 1 if rank else None,
        rank_out=rank + 1 if rank < last else None)
    link.cleargrads()
    *states, ys, delegate = link(_sequences(rank))
    loss = _loss(ys)
    if rank < last:
        assert delegate.name == 'delegate_variable'
        loss, = pseudo_connect(delegate, loss)
    else:
        assert delegate is None
    loss.backward()

    everything = [_network(network, each) for each in range(comm.size)]
    expected, total = [None] * link.n_cells, 0
    for each, network in enumerate(everything):
        network.cleargrads()
        *expected, ys = network(*expected, _sequences(each))
        total += _loss(ys)
        if each == rank:
            for mine, theirs in zip(states, expected, strict=True):
                testing.assert_allclose(mine.array, theirs.array, rtol=1e-11)
    total.backward()
    for mine, theirs in zip(link.params(), everything[rank].params(), strict=True):
        testing.assert_allclose(mine.grad, theirs.grad, atol=1e-12, rtol=1e-9)


@pytest.mark.mpi
def test_attributes(comm):
    lstm = L.NStepLSTM(1, 2, 3, 0.)
    link = create_multi_node_n_step_rnn(lstm, comm, rank_out=4)
    assert isinstance(link, chainer_fast.Chain)
    assert link.actual_rnn is lstm and link.communicator is comm
    assert (link.n_cells, link.rank_in, link.rank_out) == (2, None, 4)
    assert all(name.startswith('/actual_rnn/') for name, _ in link.namedparams())


@pytest.mark.mpi
@pytest.mark.parametrize('link, error', [
    (L.Linear(2, 3), ValueError), (None, TypeError),
    (chainer_fast.Sequential(L.NStepGRU(1, 2, 3, 0.)), ValueError)])
def test_other_links(comm, link, error):
    with pytest.raises(error):
        create_multi_node_n_step_rnn(link, comm)


@pytest.mark.mpi
def test_it_is_experimental(comm):
    with pytest.warns(FutureWarning, match='links.create_multi_node_n_step_rnn is'):
        create_multi_node_n_step_rnn(L.NStepGRU(1, 2, 3, 0.), comm)
