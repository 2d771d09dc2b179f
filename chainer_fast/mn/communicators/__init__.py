"""Communicators, which exchange gradients between processes."""
from __future__ import annotations

import importlib
from typing import Any

from chainer_fast.mn.communicators import _communication_utility
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase

_classes = {
    'naive': ('naive_communicator', 'NaiveCommunicator'),
    'flat': ('flat_communicator', 'FlatCommunicator'),
    'non_cuda_aware': ('non_cuda_aware_communicator', 'NonCudaAwareCommunicator'),
    'pure_nccl': ('pure_nccl_communicator', 'PureNcclCommunicator'),
    'dummy': ('dummy_communicator', 'DummyCommunicator'),
}

# Communicators of older versions of ChainerMN.
_instead = dict.fromkeys(
    ('hierarchical', 'two_dimensional', 'single_node'), " ('pure_nccl' replaces it)")


def create_communicator(
        communicator_name: str = 'pure_nccl', mpi_comm: Any = None,
        **kwargs: Any) -> CommunicatorBase:
    """Return a communicator.

    Parameters
    ----------
    communicator_name : str
        ``'pure_nccl'``, ``'flat'``, ``'non_cuda_aware'``, ``'naive'`` or ``'dummy'``.
    mpi_comm : mpi4py.MPI.Comm, optional
        The processes; by default all processes of the job.
    allreduce_grad_dtype : numpy.dtype, optional
        dtype of sent gradients; only for ``'pure_nccl'``.
    batched_copy : bool, optional
        Whether one kernel copies all gradients; True by default.

    Returns
    -------
    CommunicatorBase
        The communicator.

    Raises
    ------
    ValueError
        If no communicator has this name, or it does not support
        ``allreduce_grad_dtype``.
    TypeError
        If it does not support an argument.
    RuntimeError
        If mpi4py or MPI is missing (an ImportError, too), another MPI has started the
        job than mpi4py uses, or NCCL is needed and missing.

    Examples
    --------
    One GPU for each process: ::

        comm = chainermn.create_communicator('pure_nccl')
        device = comm.intra_rank
        chainer.cuda.get_device_from_id(device).use()
    """
    if communicator_name not in _classes:
        raise ValueError('Unrecognized communicator: "%s"; choose one of %s%s' % (
            communicator_name, ', '.join(_classes),
            _instead.get(communicator_name, '')))
    settings = {'batched_copy': kwargs.pop('batched_copy', True)}
    dtype = kwargs.pop('allreduce_grad_dtype', None)
    if communicator_name == 'pure_nccl':
        settings['allreduce_grad_dtype'] = dtype
    elif dtype is not None:
        raise ValueError(
            "allreduce_grad_dtype is for the communicator 'pure_nccl' only, not for "
            '%r' % (communicator_name,))
    if kwargs:
        raise TypeError(
            'create_communicator() got unexpected keyword argument(s) %s'
            % ', '.join(map(repr, kwargs)))
    if mpi_comm is None:
        mpi_comm = _communication_utility.import_mpi().COMM_WORLD
    module, name = _classes[communicator_name]
    module = importlib.import_module('chainer_fast.mn.communicators.' + module)
    communicator = getattr(module, name)(mpi_comm)
    for name, value in settings.items():
        communicator.set_config(name, value)
    return communicator


__all__ = ['CommunicatorBase', 'create_communicator']
