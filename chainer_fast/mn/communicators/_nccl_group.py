"""Groups of GPUs of NCCL: one GPU for each process of a communicator of MPI."""
from chainer_fast.backends import cuda
from chainer_fast.mn import nccl
from chainer_fast.mn.communicators import _agreement
from chainer_fast.mn.communicators._waiting import waiting


def init_nccl_comm(mpi_comm):
    """Return a communicator of NCCL for the processes of a communicator of MPI.

    Each process participates with its current GPU.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm

    Returns
    -------
    cupy.cuda.nccl.NcclCommunicator

    Raises
    ------
    RuntimeError
        In all processes, if two of them have the same GPU.
    """
    from mpi4py import MPI
    device = cuda.Device()
    places = waiting('init_nccl_comm', None, mpi_comm.allgather, (
        MPI.Get_processor_name(), device.pci_bus_id, device.id))
    for rank, place in enumerate(places):
        other = places.index(place)
        if other != rank:
            raise RuntimeError(
                'the processes %s and %s both use GPU %d of %s, but NCCL needs one '
                'GPU for each: call chainer.cuda.get_device_from_id('
                'communicator.intra_rank).use() first' % (
                    other, rank, place[2], place[0]))
    group = nccl.get_unique_id() if mpi_comm.rank == 0 else None
    group = waiting('init_nccl_comm', 0, mpi_comm.bcast, group)
    return waiting('init_nccl_comm', None, nccl.NcclCommunicator, mpi_comm.size, group,
                   mpi_comm.rank)


def check_model(mpi_comm, operation, model, zero_fill=None):
    """Raise an error in all processes if their models differ or one is not on a GPU.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm
    operation, model, zero_fill
        As for :func:`chainer_fast.mn.communicators._agreement.check_model`.

    Returns
    -------
    list of tuple of str and Parameter
        All parameters with their paths, sorted by path.

    Raises
    ------
    ValueError
        If the model of this process is not on a GPU, or differs from the others.
    RuntimeError
        If that of another process is not on a GPU.
    """
    for path, param in sorted(model.namedparams()):
        array = param.raw_array
        if array is not None and not isinstance(array, cuda.ndarray):
            _agreement.meet(mpi_comm, operation, error=ValueError(
                'NCCL exchanges arrays on GPUs, but %s is a %s.%s: move the model to '
                'a GPU first, with model.to_device()' % (
                    path, type(array).__module__, type(array).__name__)))
    return _agreement.check_model(mpi_comm, operation, model, zero_fill)


def bcast_arrays(nccl_comm, arrays, root=0):
    """Overwrite arrays with those of one process, in one operation of NCCL.

    Parameters
    ----------
    nccl_comm : cupy.cuda.nccl.NcclCommunicator
    arrays : list of cupy.ndarray
        Floating-point arrays, of the same shapes and dtypes in all processes.
    root : int
        Rank of the process in the communicator.

    Raises
    ------
    ValueError
        If an array is not a floating-point array.
    """
    kinds = [nccl._get_nccl_type_id(array.dtype) for array in arrays]
    flat = [cuda.cupy.ascontiguousarray(array) for array in arrays]
    stream = cuda.cupy.cuda.get_current_stream()
    nccl.groupStart()
    for array, kind in zip(flat, kinds, strict=True):
        if array.size:
            nccl_comm.bcast(array.data.ptr, array.size, kind, root, stream.ptr)
    nccl.groupEnd()
    for array, copy in zip(arrays, flat, strict=True):
        if copy is not array:
            array[...] = copy
