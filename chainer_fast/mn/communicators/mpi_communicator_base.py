"""Operations of communicators on MPI."""
import numpy

from chainer_fast.mn import _watchdog
from chainer_fast.mn.communicators import communicator_base
from chainer_fast.mn.communicators._communication_utility import (
    chunked_bcast_obj,
    init_ranks,
)
from chainer_fast.mn.communicators._waiting import waiting


class MpiCommunicatorBase(communicator_base.CommunicatorBase):
    """Communicator on a communicator of MPI.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm
    """

    def __init__(self, mpi_comm):
        super().__init__()
        self.mpi_comm = mpi_comm
        _watchdog.start(mpi_comm)
        self._init_ranks()
        with self.config_scope():
            self.batched_copy = False

    def _init_ranks(self):
        (_, self._intra_rank, self._intra_size, self._inter_rank,
         self._inter_size) = init_ranks(self.mpi_comm)

    @property
    def rank(self):
        return self.mpi_comm.rank

    @property
    def size(self):
        return self.mpi_comm.size

    @property
    def intra_rank(self):
        return self._intra_rank

    @property
    def intra_size(self):
        return self._intra_size

    @property
    def inter_rank(self):
        return self._inter_rank

    @property
    def inter_size(self):
        return self._inter_size

    def set_config(self, name, value=True, **kwargs):
        if name != 'batched_copy':
            return super().set_config(name, **kwargs)
        with self.config_scope():
            self.batched_copy = value

    def split(self, color, key):
        return type(self)(waiting('split', None, self.mpi_comm.Split, color, key))

    def send(self, data, dest, tag):
        data = tuple(data) if isinstance(data, list) else data
        waiting('send', dest, self.mpi_comm.send, data, dest, tag)

    def recv(self, source, tag):
        return waiting('recv', source, self.mpi_comm.recv, None, source, tag)

    def bcast(self, x, root=0):
        return waiting('bcast', root, self.mpi_comm.bcast, x, root)

    def gather(self, x, root=0):
        xs = waiting('gather', root, self.mpi_comm.gather, x, root)
        return None if xs is None else tuple(xs)

    def allgather(self, x):
        return tuple(waiting('allgather', None, self.mpi_comm.allgather, x))

    def alltoall(self, xs):
        return tuple(waiting('alltoall', None, self.mpi_comm.alltoall, xs))

    def scatter(self, xs, root=0):
        return waiting('scatter', root, self.mpi_comm.scatter, xs, root)

    def allreduce(self, x):
        return waiting('allreduce', None, self.mpi_comm.allreduce, x)

    def send_obj(self, obj, dest, tag=0):
        waiting('send_obj', dest, self.mpi_comm.send, obj, dest, tag)

    def recv_obj(self, source, status=None, tag=-1):
        return waiting('recv_obj', source, self.mpi_comm.recv, None, source, tag, status)

    def bcast_obj(self, obj, max_buf_len=256 * 1024 * 1024, root=0):
        return chunked_bcast_obj(obj, self.mpi_comm, max_buf_len, root)

    def gather_obj(self, obj, root=0):
        return waiting('gather_obj', root, self.mpi_comm.gather, obj, root)

    def allreduce_obj(self, obj):
        return waiting('allreduce_obj', None, self.mpi_comm.allreduce, obj)

    def bcast_data(self, model):
        for _, param in sorted(model.namedparams()):
            if param.is_initialized:
                param.data[...] = self.bcast(param.data)

    def _mean_grads(self, model, zero_fill):
        for _, param in sorted(model.namedparams()):
            grad = param.grad if param.is_initialized else None
            has = self.allgather(grad is not None)
            if not any(has) or not (all(has) or zero_fill):
                continue
            if grad is None:
                grad = numpy.zeros_like(param.data)
            param.grad = (self.allreduce(grad) / self.size).astype(grad.dtype)
