"""Averaging of gradients in the background."""
import concurrent.futures

import numpy

from chainer_fast.backends import cuda
from chainer_fast.configuration import config, using_config
from chainer_fast.mn.communicators import _exchange
from chainer_fast.mn.communicators.mpi_communicator_base import MpiCommunicatorBase


def second_buffer(link):
    """Return a link with the same parameters, but its own gradients."""
    twin = link.copy(mode='share')
    for (_, param), (_, other) in zip(
            sorted(link.namedparams(include_uninit=False)),
            sorted(twin.namedparams(include_uninit=False)), strict=True):
        other.grad = None if param.grad is None else param.grad.copy()
    return twin


def make(communicator):
    """Return the object that averages gradients in the background.

    Raises
    ------
    ValueError
        If the communicator does not support it.
    """
    if hasattr(communicator, '_multi_node_mean_grad_async'):
        return _OnStream(communicator)
    return _InThread(communicator)


class _OnStream:
    """Averaging by NCCL on a separate stream.

    Parameters
    ----------
    communicator : PureNcclCommunicator
    """

    def __init__(self, communicator):
        self._communicator = communicator
        self._stream = cuda.Stream(non_blocking=True)

    def check(self, link):
        """Do nothing: the communicator itself checks links."""

    def start(self, link, zero_fill):
        """Start; gradients must not be accessed before :meth:`wait`."""
        self._communicator._multi_node_mean_grad_async(link, zero_fill, self._stream)

    def wait(self):
        """Wait for the means."""
        self._stream.synchronize()
        cuda.Stream.null.synchronize()


def _average(communicator, link, zero_fill, debug):
    with using_config('debug', debug):
        communicator.multi_node_mean_grad(link, zero_fill)


class _InThread:
    """Averaging by a thread of the CPU.

    The thread has its own communicator, so that its messages do not match those of the
    rest of the program.

    Parameters
    ----------
    communicator : CommunicatorBase
        The processes.
    """

    def __init__(self, communicator):
        if not isinstance(communicator, MpiCommunicatorBase):
            raise ValueError(
                'This communicator does not support double buffering: %s; use naive, '
                'flat or pure_nccl' % type(communicator).__name__)
        from mpi4py import MPI
        if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
            raise ValueError(
                'This communicator does not support double buffering: it needs an MPI '
                'that supports concurrent threads, but this one was started without '
                'MPI_THREAD_MULTIPLE; see mpi4py.rc.thread_level')
        self._original, self._own = communicator, None
        # At exit Python waits for threads of executors, before MPI is shut down.
        self._executor = concurrent.futures.ThreadPoolExecutor(1)
        self._pending = None

    def check(self, link):
        """Raise :class:`ValueError` if gradients of the link are not in host memory."""
        for path, param in link.namedparams(include_uninit=False):
            if not isinstance(param.array, numpy.ndarray):
                raise ValueError(
                    'double buffering with this communicator needs a model on the '
                    'CPU, but %s is on %s; use pure_nccl' % (path, param.device))

    def start(self, link, zero_fill):
        """Start; gradients must not be accessed before :meth:`wait`."""
        if self._own is None:
            self._own = self._original.split(0, self._original.rank)
            self._own.mpi_comm = _exchange.patient(self._own.mpi_comm)
        # The thread has its own settings.
        self._pending = self._executor.submit(
            _average, self._own, link, zero_fill, config.debug)

    def wait(self):
        """Wait for the means, and raise errors of their computation."""
        pending, self._pending = self._pending, None
        if pending is not None:
            pending.result()
