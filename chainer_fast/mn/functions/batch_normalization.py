"""Batch normalization by the moments of the batches of all processes."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends.kernels import normalization as kernels
from chainer_fast.backends.kernels.normalization import dtypes as _dtypes
from chainer_fast.functions.normalization.batch_normalization import (
    GeneralBatchNormalizationImpl,
)
from chainer_fast.mn import nccl
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase
from chainer_fast.mn.communicators.pure_nccl_communicator import PureNcclCommunicator
from chainer_fast.types import DTypeSpec, NdArray, Xp


class _MultiNodeImpl(GeneralBatchNormalizationImpl):
    """Normalization with one reduction per pass: of the moments, then of the gradients.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    """

    def __init__(self, comm: CommunicatorBase) -> None:
        self.comm = comm

    def _sum(self, array):
        """Return the sum of an array over all processes."""
        raise NotImplementedError

    def get_mean_and_var(
            self, axis: tuple[int, ...], gamma: NdArray, x: NdArray, xp: Xp,
            interm_dtype: DTypeSpec) -> tuple[NdArray, ...]:
        """Compute the moments of the batches of all processes, as one batch.

        The difference of the second moment and the square of the mean is inaccurate
        for a large mean, so that both are sent in double precision.
        """
        mean, var = super().get_mean_and_var(axis, gamma, x, xp, interm_dtype)
        shape, size = mean.shape, mean.size
        count = x.size // max(size, 1)
        sums = xp.empty(2 * size + 1, numpy.float64)
        first, second = sums[:size], sums[size:-1]
        first[...] = mean.ravel()
        xp.multiply(first, first, out=second)
        second += var.ravel()
        sums[-1] = 1
        sums *= count
        sums = self._sum(sums)
        # Each process divides by the number of all samples in the backward pass.
        self._count = xp.maximum(sums[-1], 1)
        sums /= self._count
        first, second = sums[:size], sums[size:-1]
        second -= first * first
        # Rounding may make a tiny variance negative.
        xp.maximum(second, 0, out=second)
        return tuple(
            [m.reshape(shape).astype(interm_dtype) for m in (first, second)])

    def backward(
            self, axis: tuple[int, ...], gamma: NdArray, gy: NdArray, x: NdArray,
            x_layout: Any, xp: Xp, expander: tuple[Any, ...], mean: NdArray,
            inv_std: NdArray, eps: float, var: NdArray,
            forward_data: Any) -> tuple[Any, ...]:
        """Compute gradients, those of parameters as means over the processes.

        A model's gradients are averaged over its processes, which does not change
        these.
        """
        gx_dtype, param_dtype = x.dtype, gamma.dtype
        dtype = _dtypes.interm(x, gamma)
        x, gamma, gy, mean, inv_std = _dtypes.cast_all(
            (x, gamma, gy, mean, inv_std), dtype)
        gx, ggamma, gbeta = kernels.batch_backward(
            x, gamma, gy, mean, inv_std, axis, True)
        sums = self._sum(xp.stack((ggamma, gbeta)))
        # The moments depend on x as well. The two sums are part of that contribution.
        factor = gamma * inv_std
        ggamma, gbeta = (factor * (sums / self._count)).astype(dtype, copy=False)
        gx -= kernels.batch_apply(x, ggamma, gbeta, mean, inv_std, axis)
        ggamma, gbeta = (sums / self.comm.size).astype(param_dtype, copy=False)
        return gx.astype(gx_dtype, copy=False), x_layout, ggamma, gbeta


class _MpiImpl(_MultiNodeImpl):
    """Normalization with sums by MPI."""

    def _sum(self, array):
        return self.comm.allreduce(array)


class _NcclImpl(_MultiNodeImpl):
    """Normalization with sums by NCCL, on GPUs.

    Parameters
    ----------
    comm : PureNcclCommunicator
        The processes.
    """

    def _sum(self, array):
        self.comm._init_comms()
        address = array.data.ptr
        self.comm.nccl_comm.allReduce(
            address, address, array.size, nccl._get_nccl_type_id(array.dtype),
            nccl.NCCL_SUM, cuda.cupy.cuda.get_current_stream().ptr)
        return array


class MultiNodeBNImplSelector:
    """Chooses the implementation of batch normalization over processes.

    It is intended for the argument ``impl_selector`` of
    :func:`chainer_fast.functions.batch_normalization`.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    communication_backend_name : {'mpi', 'nccl'}
        Library that computes sums; see :func:`get_communication_backend`.
    """

    def __init__(self, comm: CommunicatorBase, communication_backend_name: str) -> None:
        self.comm = comm
        self.communication_backend_name = communication_backend_name

    def __call__(self, batch_norm_func: Any, inputs: Any) -> _NcclImpl | _MpiImpl:
        if self.communication_backend_name == 'nccl':
            return _NcclImpl(self.comm)
        return _MpiImpl(self.comm)


def get_communication_backend(
        comm: CommunicatorBase, communication_backend: str = 'auto') -> str:
    """Return the library that computes the sums of batch normalization.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    communication_backend : {'auto', 'mpi', 'nccl'}
        ``'auto'`` means NCCL with a communicator ``'pure_nccl'``, and MPI with
        others.

    Returns
    -------
    str
        ``'mpi'`` or ``'nccl'``.

    Raises
    ------
    ValueError
        If the name is none of these, or if the communicator has no NCCL.
    """
    if communication_backend not in ('auto', 'mpi', 'nccl'):
        raise ValueError(
            "communication_backend of MultiNodeBatchNormalization must be 'auto', "
            "'mpi' or 'nccl', not %r" % (communication_backend,))
    has_nccl = isinstance(comm, PureNcclCommunicator)
    if communication_backend == 'auto':
        return 'nccl' if has_nccl else 'mpi'
    if communication_backend == 'nccl' and not has_nccl:
        raise ValueError(
            "MultiNodeBatchNormalization cannot use 'nccl' with a %s: pass "
            "communication_backend='mpi', or a communicator 'pure_nccl'"
            % type(comm).__name__)
    return communication_backend

