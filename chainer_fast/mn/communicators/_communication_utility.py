"""Ranks of nodes, and objects in pieces."""
import pickle

from chainer_fast.mn.communicators._waiting import waiting

INT_MAX = 2147483647


def init_ranks(mpi_comm):
    """Return this rank, and where it stands on its node and among the nodes.

    Returns
    -------
    tuple of int
        Rank, rank on the node, size of the node, number of the node, number of nodes.
        Nodes count in the order of their lowest ranks.
    """
    from mpi4py import MPI
    names = waiting('init_ranks', None, mpi_comm.allgather, MPI.Get_processor_name())
    mine = names[mpi_comm.rank]
    nodes = list(dict.fromkeys(names))
    return (mpi_comm.rank, names[:mpi_comm.rank].count(mine), names.count(mine),
            nodes.index(mine), len(nodes))


def init_intra_mpi_comm(mpi_comm, intra_rank, inter_rank):
    """Return a communicator of MPI of the processes of this node."""
    return waiting('split', None, mpi_comm.Split, inter_rank, intra_rank)


def init_inter_mpi_comm(mpi_comm, intra_rank, inter_rank):
    """Return a communicator of MPI of the processes with this rank on their nodes."""
    return waiting('split', None, mpi_comm.Split, intra_rank, inter_rank)


def chunked_bcast_obj(obj, mpi_comm, max_buf_len=256 * 1024 * 1024, root=0):
    """Broadcast the pickle of an object in pieces.

    Parameters
    ----------
    obj : object
        Of rank ``root``; the other ranks' is not looked at.
    mpi_comm : mpi4py.MPI.Comm
    max_buf_len : int
        Largest number of bytes of a piece: 1 to ``INT_MAX - 1``.
    root : int
        Rank that has the object.
    """
    assert 0 < max_buf_len < INT_MAX, (
        'max_buf_len is %r; give 1 to %d bytes' % (max_buf_len, INT_MAX - 1))
    data = pickle.dumps(obj, pickle.HIGHEST_PROTOCOL) if mpi_comm.rank == root else None
    length = waiting(
        'bcast_obj', root, mpi_comm.bcast, None if data is None else len(data), root)
    if data is None:
        data = bytearray(length)
    view = memoryview(data)
    for start in range(0, length, max_buf_len):
        waiting('bcast_obj', root, mpi_comm.Bcast, view[start:start + max_buf_len], root)
    return obj if mpi_comm.rank == root else pickle.loads(data)
