"""Communicators: who exchanges gradients, and how."""
import importlib

from chainer_fast.mn.communicators.communicator_base import CommunicatorBase

_classes = {
    'naive': ('naive_communicator', 'NaiveCommunicator'),
    'flat': ('flat_communicator', 'FlatCommunicator'),
    'non_cuda_aware': ('non_cuda_aware_communicator', 'NonCudaAwareCommunicator'),
    'pure_nccl': ('pure_nccl_communicator', 'PureNcclCommunicator'),
    'dummy': ('dummy_communicator', 'DummyCommunicator'),
}


def create_communicator(communicator_name='pure_nccl', mpi_comm=None, **kwargs):
    """Return a communicator.

    Parameters
    ----------
    communicator_name : str
        ``'pure_nccl'``, ``'flat'``, ``'non_cuda_aware'``, ``'naive'`` or ``'dummy'``.
    mpi_comm : mpi4py.MPI.Comm, optional
        The processes; all of the job by default.
    allreduce_grad_dtype : numpy.dtype, optional
        Data type of gradients on their way; of ``'pure_nccl'`` only.
    batched_copy : bool, optional
        Whether one kernel copies all gradients; True by default.

    Raises
    ------
    ValueError
        Where there is no communicator of this name, or it takes no such argument.
    """
    if communicator_name not in _classes:
        raise ValueError('Unrecognized communicator: "%s"; there are %s' % (
            communicator_name, ', '.join(_classes)))
    if mpi_comm is None:
        from mpi4py import MPI
        mpi_comm = MPI.COMM_WORLD
    module, name = _classes[communicator_name]
    module = importlib.import_module('chainer_fast.mn.communicators.' + module)
    communicator = getattr(module, name)(mpi_comm)
    communicator.set_config('batched_copy', kwargs.pop('batched_copy', True))
    return communicator


__all__ = ['CommunicatorBase', 'create_communicator']
