import pytest

import chainer_fast as chainer
from chainer_fast.mn.communicators import create_communicator, flat_communicator
from chainer_fast.mn.communicators.flat_communicator import FlatCommunicator
from tests.mn.communicators import cases


@pytest.mark.mpi
@pytest.mark.parametrize('elements', [1, 4, flat_communicator.ELEMENTS_OF_A_MESSAGE])
def test_multi_node_mean_grad(monkeypatch, elements):
    monkeypatch.setattr(flat_communicator, 'ELEMENTS_OF_A_MESSAGE', elements)
    comm = create_communicator('flat')
    assert type(comm) is FlatCommunicator
    cases.check_multi_node_mean_grad(comm)
    comm.finalize()


@pytest.mark.parametrize('elements, expected', [
    (1, [[2], [3], [1], [4]]), (5, [[2, 3], [1, 4]]), (6, [[2, 3, 1], [4]]),
    (9, [[2, 3, 1, 4]]), (10, [[2, 3, 1, 4]]), (100, [[2, 3, 1, 4]])])
def test_parts(elements, expected):
    params = [chainer.Parameter(0., shape=(n,)) for n in (2, 3, 1, 4)]
    parts = list(flat_communicator._parts(params, elements))
    assert [[param.size for param in part] for part in parts] == expected


def test_no_parameters():
    assert list(flat_communicator._parts([], 5)) == []
