import builtins
import os

import numpy as np
import pytest

from chainer_fast.mn.communicators import _communication_utility, create_communicator
from chainer_fast.mn.communicators._communication_utility import (
    INT_MAX,
    check_job_size,
    chunked_bcast_obj,
    import_mpi,
    init_inter_mpi_comm,
    init_intra_mpi_comm,
    init_ranks,
)


@pytest.fixture
def world():
    return import_mpi().COMM_WORLD


@pytest.mark.mpi
@pytest.mark.parametrize('length', [1, 7, 2378, INT_MAX - 1])
def test_chunked_bcast_obj(world, length):
    obj = np.arange(3000) if world.rank == 0 else None
    np.testing.assert_array_equal(
        chunked_bcast_obj(obj, world, length), np.arange(3000))


@pytest.mark.mpi
@pytest.mark.parametrize('length', [-1, 0, INT_MAX])
def test_chunks_of_no_length(world, length):
    with pytest.raises(AssertionError, match='1 to 2147483646 bytes'):
        chunked_bcast_obj(0, world, length)


@pytest.mark.mpi
def test_communicators_of_nodes(world):
    _, intra_rank, intra_size, inter_rank, inter_size = init_ranks(world)
    node = init_intra_mpi_comm(world, intra_rank, inter_rank)
    assert (node.rank, node.size) == (intra_rank, intra_size)
    across = init_inter_mpi_comm(world, intra_rank, inter_rank)
    assert across.rank == inter_rank
    assert across.size <= inter_size
    node.Free()
    across.Free()


@pytest.mark.parametrize('names, expected', [
    ('abab', [(0, 2, 0, 2), (0, 2, 1, 2), (1, 2, 0, 2), (1, 2, 1, 2)]),
    ('bba', [(0, 2, 0, 2), (1, 2, 0, 2), (0, 1, 1, 2)]),
])
def test_ranks_on_nodes(names, expected, monkeypatch):
    class Comm:
        def __init__(self, rank):
            self.rank = rank

        def allgather(self, name):
            return list(names)

    for rank, places in enumerate(expected):
        monkeypatch.setattr(
            import_mpi(), 'Get_processor_name', lambda rank=rank: names[rank])
        assert init_ranks(Comm(rank)) == (rank, *places)


@pytest.mark.parametrize('error', [
    ModuleNotFoundError("No module named 'mpi4py'"),
    RuntimeError('cannot load MPI library')])
@pytest.mark.parametrize('kind', [ImportError, RuntimeError])
def test_no_mpi(monkeypatch, error, kind):
    real = builtins.__import__

    def fails(name, *args, **kwargs):
        if name.startswith('mpi4py'):
            raise error
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, '__import__', fails)
    with pytest.raises(kind, match='%s.*pip install .*(mpi4py|mn)' % error):
        create_communicator('naive')


JOBS = [
    {'OMPI_COMM_WORLD_SIZE': '4'}, {'PMI_SIZE': '4'}, {'MV2_COMM_WORLD_SIZE': '4'},
    {'PMIX_RANK': '0', 'SLURM_NTASKS': '4'}]
NO_JOBS = [
    {}, {'OMPI_COMM_WORLD_SIZE': '1'}, {'PMI_SIZE': ''}, {'PMI_SIZE': 'x'},
    {'SLURM_NTASKS': '4'}]


def start(monkeypatch, size, variables):
    for name in list(os.environ):
        if name.startswith(('OMPI_', 'PMI', 'MV2_', 'SLURM_')):
            monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    class MPI:
        class COMM_WORLD:
            pass

        @staticmethod
        def Get_library_version():
            return 'Open MPI v5.0.8, package\n and more\0'

    MPI.COMM_WORLD.size = size
    monkeypatch.setattr(_communication_utility, 'import_mpi', lambda: MPI)


@pytest.mark.parametrize('variables', JOBS)
def test_job_of_another_mpi(monkeypatch, variables):
    start(monkeypatch, 1, variables)
    name = list(variables)[-1]
    with pytest.raises(RuntimeError, match=(
            r'one of 4 \(%s\).* Open MPI v5.0.8, package, .*--no-binary' % name)):
        check_job_size()


@pytest.mark.parametrize('size, variables', [
    *[(4, job) for job in JOBS], *[(1, job) for job in NO_JOBS]])
def test_job_of_this_mpi(monkeypatch, size, variables):
    start(monkeypatch, size, variables)
    check_job_size()
