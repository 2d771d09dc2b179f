"""Updater that trains copies of a model in separate processes, one per GPU.

The first device belongs to the program itself, each of the others to a worker. These
are the parts of a step; those in the same row happen at the same time:

=====================================  =========================================
program                                worker
=====================================  =========================================
sends ``update``                       waits for a command
gradients of its batch                 gradients of its batch, reports ``ready``
sends ``exchange``, if all are ready   waits for a command
sum of gradients (NCCL)                sum of gradients
update of the parameters
broadcast of the parameters (NCCL)     broadcast of the parameters
=====================================  =========================================

NCCL waits forever for a process that does not participate. Therefore no process calls
it before all are ready, and a failure raises an error instead of causing a deadlock.
"""
from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import multiprocessing.util
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from chainer_fast import backend, reporter
from chainer_fast.backends import cuda
from chainer_fast.backends.cuda import ndarray
from chainer_fast.backends.kernels import update_rules
from chainer_fast.dataset import convert
from chainer_fast.link import Link
from chainer_fast.optimizer import Optimizer
from chainer_fast.training.updaters import standard_updater
from chainer_fast.types import NdArray
from chainer_fast.utils._forks import opencv_without_threads

_available = False
if cuda.available:
    try:
        with warnings.catch_warnings():
            # CuPy warns if it lacks NCCL; available() reports it where it matters.
            warnings.simplefilter('ignore')
            from cupy.cuda import nccl
        _available = getattr(nccl, 'available', True)
    except Exception:  # any failure of CuPy means that NCCL is not available
        pass

_SECONDS_TO_END = 10

# Exponent of the number of devices in the factor of eps, for gradients that are
# summed, not averaged. Apart from eps, rules that divide by the magnitude of gradients
# do not depend on their scale.
_POWER_OF_EPS = {
    'Adam': 1, 'AdaGrad': 1, 'RMSprop': 1, 'RMSpropGraves': 2, 'AdaDelta': 2}


class MultiprocessParallelUpdater(standard_updater.StandardUpdater):
    """Updater that computes the gradient of a batch on several GPUs, each in a process.

    Each process has its own iterator, so the effective batch is the sum of theirs.
    Gradients are summed by NCCL, and the learning rate (``eps`` for optimizers that do
    not depend on the scale of gradients) is changed to compensate.

    The processes start with the first update. If they are forked, which is the default
    on Linux before Python 3.14, CUDA must not have been used before in the program.
    Only the reports of the first process are observed, and only its iterator is part of
    snapshots.

    Parameters
    ----------
    iterators : list of Iterator
        One iterator for each device, over data sets of the same length.
    optimizer : Optimizer or dict of Optimizer
        The optimizer, whose target is the model.
    converter : callable
        ``converter(batch, device)`` makes the arguments of the model.
    devices : list of device specifiers, or dict of them
        The GPUs. The first one, or the one named ``'main'``, is for the program itself.
    auto_new_epoch : bool
        Whether to call ``new_epoch()`` of the optimizer when an epoch of the first
        iterator ends.

    Raises
    ------
    RuntimeError
        If CuPy with NCCL is not available, or if processes would be forked although
        CUDA is in use; in an update, if a worker has failed, with its traceback.
    AssertionError
        If devices, iterators and data sets do not match.

    Examples
    --------
    On two GPUs, with half of the data each: ::

        parts = chainer.datasets.split_dataset_n_random(train, 2)
        iterators = [chainer.iterators.MultiprocessIterator(part, 64) for part in parts]
        updater = chainer.training.updaters.MultiprocessParallelUpdater(
            iterators, optimizer, devices=(0, 1))
    """

    def __init__(
            self, iterators: Sequence[Any],
            optimizer: Optimizer | dict[str, Optimizer],
            converter: Callable[..., Any] = convert.concat_examples,
            devices: Any = None, auto_new_epoch: bool = True) -> None:
        if not MultiprocessParallelUpdater.available():
            raise RuntimeError(
                'MultiprocessParallelUpdater needs NCCL, and %s; see '
                'https://docs.cupy.dev/en/stable/install.html' % (
                    'this CuPy lacks it' if cuda.available
                    else 'CuPy is not available'))
        _check_fork()
        n_devices = len(devices)
        assert len(iterators) == n_devices, (
            'each device needs an iterator, but there are %d for %s'
            % (len(iterators), n_devices))
        lengths = {len(iterator.dataset) for iterator in iterators}
        assert len(lengths) == 1, (
            'the data sets of the iterators must have the same length, not %s; use '
            'chainer.datasets.split_dataset_n_random()' % sorted(lengths))
        super().__init__(
            iterators[0], optimizer, converter, auto_new_epoch=auto_new_epoch)
        main_optimizer = self.get_optimizer('main')
        _adapt_to_sum(main_optimizer, n_devices)
        if isinstance(devices, dict):
            rest = dict(devices)
            devices = [rest.pop('main'), *rest.values()]
        self._devices = [backend.get_device(device) for device in devices]
        self._mpu_iterators = iterators
        self._master = main_optimizer.target
        self._initialized = False
        self._pipes, self._workers = [], []
        self._step = 0
        self.comm: Any = None

    @staticmethod
    def available() -> bool:
        """Return whether CuPy and NCCL are available."""
        return _available

    def setup_workers(self) -> None:
        """Start the processes unless they are running; called by the first update."""
        if self._initialized:
            return
        if len(self._devices) > 1:
            _check_fork()
        self._initialized = True
        self._master.cleargrads()
        # This also takes effect when the program ends without finalize().
        multiprocessing.util.Finalize(
            self, _stop, (self._workers, self._pipes), exitpriority=10)
        for rank in range(1, len(self._devices)):
            pipe, end_of_worker = multiprocessing.Pipe()
            worker = _Worker(rank, end_of_worker, self)
            with opencv_without_threads():
                worker.start()
            end_of_worker.close()
            self._workers.append(worker)
            self._pipes.append(pipe)
        with backend.using_device(self._devices[0]):
            self._master.to_device(self._devices[0])
            if self._workers:
                self._wait_for_workers(self._step)
                group = _make_group_id()
                self._send_message(('join', group))
                self.comm = _join_group(len(self._devices), group, 0)

    def _send_message(self, message):
        for pipe in self._pipes:
            try:
                pipe.send(message)
            except OSError:  # it has ended, which _wait_for_workers reports
                pass

    def _wait_for_workers(self, step):
        """Wait until all workers are ready for the exchange; raise if one is not."""
        try:
            for rank, (worker, pipe) in enumerate(
                    zip(self._workers, self._pipes, strict=True), 1):
                failure = _wait_until_ready(worker, pipe, step)
                if failure is not None:
                    raise RuntimeError(
                        'worker %s of MultiprocessParallelUpdater, for the device %s, '
                        '%s' % (rank, self._devices[rank], failure))
        except BaseException:
            _stop(self._workers, self._pipes, at_once=True)
            raise

    def update_core(self) -> None:
        """Update the model with the next batch and with those of the workers."""
        self.setup_workers()
        if len(self._workers) != len(self._devices) - 1:
            raise RuntimeError('the workers of MultiprocessParallelUpdater have ended; '
                               'make a new updater')
        iterator, optimizer = self.get_iterator('main'), self.get_optimizer('main')
        loss_scale = getattr(optimizer, '_loss_scale', None)
        self._step += 1
        self._send_message(('update', (self._step, loss_scale)))
        with backend.using_device(self._devices[0]):
            try:
                _compute_grads(self._master, self.converter, iterator.next(),
                               self._devices[0], loss_scale)
            except BaseException:
                self._send_message(('skip', None))
                raise
            if self.comm is not None:
                self._wait_for_workers(self._step)
                self._send_message(('exchange', None))
                grads = _gather(self._master, 'grad')
                _sum_in_group(self.comm, grads)
                _scatter(self._master, grads, 'grad')
            optimizer.update()
            if self.comm is not None:
                _broadcast_in_group(self.comm, _gather(self._master, 'data'))
        if self.auto_new_epoch and iterator.is_new_epoch:
            optimizer.new_epoch(auto=True)

    def finalize(self) -> None:
        """End the processes and finalize the iterator."""
        self.comm = None
        _stop(self._workers, self._pipes)
        super().finalize()


def _check_fork():
    """Raise if processes would be forked although CUDA is in use."""
    if multiprocessing.get_start_method() != 'fork':
        return
    driver = cuda.cupy.cuda.driver
    try:
        driver.ctxGetCurrent()
    except driver.CUDADriverError:  # not initialized, as required
        return
    raise RuntimeError(
        'there is a CUDA context already, which forked processes cannot use: make the '
        'MultiprocessParallelUpdater before anything uses a GPU, or call '
        "multiprocessing.set_start_method('spawn') or 'forkserver' at the beginning")


def _adapt_to_sum(optimizer, n_devices):
    """Change an optimizer so that summed gradients act as averaged ones."""
    power = _POWER_OF_EPS.get(type(optimizer).__name__)
    if power is not None:
        name, value = 'eps', optimizer.eps * n_devices ** power
    elif hasattr(optimizer, 'lr'):
        name, value = 'lr', optimizer.lr / n_devices
    else:
        return
    setattr(optimizer, name, value)
    warnings.warn(
        'optimizer.%s is changed to %s by MultiprocessParallelUpdater, which sums the '
        'gradients of %s devices' % (name, value, n_devices), stacklevel=3)


# Workers

class _Worker(multiprocessing.Process):
    """Process that computes gradients on command."""

    def __init__(self, proc_id, pipe, master) -> None:
        super().__init__()
        self.model = master._master
        self.iterator, self.device = (
            master._mpu_iterators[proc_id], master._devices[proc_id])
        self.n_devices = len(master._devices)
        self.pipe, self.proc_id = pipe, proc_id
        self.converter = master.converter

    def setup(self) -> bool:
        """Move the model to the device, and join the group of processes."""
        model = self.model.to_device(self.device)
        self.reporter = reporter.Reporter()  # for links that report; it is never read
        self.reporter.add_observers('main', model.namedlinks(skipself=True))
        self.reporter.add_observer('main', model)
        self._tell('ready', 0)
        command, group = self._next_command()
        if command == 'join':
            self.comm = _join_group(self.n_devices, group, self.proc_id)
        return command == 'join'

    def run(self) -> None:
        try:
            with backend.using_device(self.device):
                if self.setup():
                    while self._work():
                        pass
        except BaseException:
            self._tell('failed', traceback.format_exc())
        finally:
            self.iterator.finalize()

    def _tell(self, status, detail):
        try:
            self.pipe.send((status, detail))
        except OSError:
            pass  # the program has ended

    def _next_command(self):
        """Wait for a command; the end of the program counts as one."""
        program: Any = multiprocessing.parent_process()
        ready = multiprocessing.connection.wait([self.pipe, program.sentinel])
        if self.pipe in ready:
            try:
                return self.pipe.recv()
            except (EOFError, OSError):
                pass
        return 'finalize', None

    def _work(self):
        """Execute the next command; return whether there will be more."""
        command, argument = self._next_command()
        if command == 'update':
            step, loss_scale = argument
            with self.reporter.scope({}):
                _compute_grads(self.model, self.converter, self.iterator.next(),
                               self.device, loss_scale)
            self._tell('ready', step)
        elif command == 'exchange':
            _sum_in_group(self.comm, _gather(self.model, 'grad'))
            self.model.cleargrads()
            parameters = _gather(self.model, 'data')
            _broadcast_in_group(self.comm, parameters)
            _scatter(self.model, parameters, 'data')
        return command != 'finalize'


def _wait_until_ready(worker, pipe, step):
    """Wait for a worker; if it does not become ready, return the reason."""
    while True:
        if pipe in multiprocessing.connection.wait([pipe, worker.sentinel]):
            try:
                status, detail = pipe.recv()
            except (EOFError, OSError):
                pass
            else:
                if status == 'failed':
                    return 'has failed:\n' + detail
                if detail == step:  # other messages belong to skipped steps
                    return None
                continue
        worker.join(_SECONDS_TO_END)
        return 'has ended unexpectedly (exit code %s)' % worker.exitcode


def _stop(workers, pipes, at_once=False):
    """End processes, by force if necessary, and forget them."""
    for worker, pipe in zip(workers, pipes, strict=True):
        if at_once:
            worker.terminate()
        try:
            pipe.send(('finalize', None))
        except OSError:
            pass
    for worker, pipe in zip(workers, pipes, strict=True):
        worker.join(_SECONDS_TO_END)
        if worker.is_alive():
            worker.kill()
            worker.join()
        pipe.close()
    del workers[:], pipes[:]


def _calc_loss(model, in_arrays):
    """Return the loss of a converted batch."""
    args, kwargs = convert._as_arguments(in_arrays)
    return model(*args, **kwargs)


def _compute_grads(model, converter, batch, device, loss_scale):
    loss = _calc_loss(model, convert._call_converter(converter, batch, device))
    model.cleargrads()
    loss.backward(loss_scale=loss_scale)


# NCCL

def _make_group_id():
    return nccl.get_unique_id()


def _join_group(size, group, rank):
    return nccl.NcclCommunicator(size, group, rank)


def _sum_in_group(comm, array):
    """Sum the arrays of all processes into that of the first one."""
    pointer = array.data.ptr
    comm.reduce(pointer, pointer, array.size, _get_nccl_data_type(array.dtype),
                nccl.NCCL_SUM, 0, cuda.cupy.cuda.get_current_stream().ptr)


def _broadcast_in_group(comm, array):
    """Overwrite an array with that of the first process."""
    comm.bcast(array.data.ptr, array.size, _get_nccl_data_type(array.dtype), 0,
               cuda.cupy.cuda.get_current_stream().ptr)


def _get_nccl_data_type(dtype):
    name = numpy.dtype(dtype).name
    if name not in ('float16', 'float32', 'float64'):
        raise RuntimeError('gradients and parameters must be floats, not ' + name)
    return getattr(nccl, 'NCCL_' + name.upper())


# All parameters, or all gradients, in one array

def _initialized_params(link):
    return [param for _, param in sorted(link.namedparams()) if param.is_initialized]


def _gather(link, target):
    """Return data or gradients, ``'data'`` or ``'grad'``, joined into a flat array.

    It has the widest of their dtypes, and zeros for a gradient of ``None``.
    """
    params = _initialized_params(link)
    arrays = [getattr(param, target) for param in params]
    dtype = numpy.result_type(*[
        (param.data if array is None else array).dtype
        for param, array in zip(params, arrays, strict=True)])
    flat = link.xp.zeros(sum(param.size for param in params), dtype)
    parts = _parts(flat, params)
    update_rules.copy_arrays([
        (array, part) for array, part in zip(arrays, parts, strict=True)
        if array is not None])
    return flat


def _parts(flat, params):
    """Yield the parts of a flat array, in the shapes of parameters."""
    begin = 0
    for param in params:
        yield flat[begin:begin + param.size].reshape(param.shape)
        begin += param.size


def _scatter(link, array, target):
    """Set data or gradients to the parts of a flat array."""
    params = _initialized_params(link)
    if target == 'data':
        arrays = [param.data for param in params]
    else:
        arrays = [param.xp.empty_like(param.data) for param in params]
    update_rules.copy_arrays(zip(_parts(array, params), arrays, strict=True))
    if target == 'grad':
        for param, grad in zip(params, arrays, strict=True):
            param.grad = grad


def _require_gpu(link, name):
    if link.xp is numpy:
        raise RuntimeError('%s() needs a link on a GPU, but this one is on the CPU: '
                           'call to_device() first' % (name,))


def size_num_grads(link: Link) -> tuple[int, int]:
    """Count the elements of all parameters, and the parameters.

    Parameters
    ----------
    link : Link
        The link. Parameters that are not initialized do not count.

    Returns
    -------
    tuple of two int
        Number of elements and number of parameters.
    """
    sizes = [param.size for param in _initialized_params(link)]
    return sum(sizes), len(sizes)


def gather_grads(link: Link) -> ndarray:
    """Join all gradients of a link into one flat array.

    Parameters
    ----------
    link : Link
        The link, on a GPU.

    Returns
    -------
    cupy.ndarray
        Gradients in the order of the names of the parameters, with zeros for missing
        ones.

    Raises
    ------
    RuntimeError
        If the link is on the CPU.
    """
    _require_gpu(link, 'gather_grads')
    return _gather(link, 'grad')


def gather_params(link: Link) -> ndarray:
    """Join all parameters of a link into one flat array.

    Parameters
    ----------
    link : Link
        The link, on a GPU.

    Returns
    -------
    cupy.ndarray
        The parameters in the order of their names.

    Raises
    ------
    RuntimeError
        If the link is on the CPU.
    """
    _require_gpu(link, 'gather_params')
    return _gather(link, 'data')


def scatter_grads(link: Link, array: NdArray) -> None:
    """Set all gradients of a link to the parts of a flat array.

    Parameters
    ----------
    link : Link
        The link.
    array : array
        Result of :func:`gather_grads` for a link of this kind.
    """
    _scatter(link, array, 'grad')


def scatter_params(link: Link, array: NdArray) -> None:
    """Overwrite all parameters of a link with the parts of a flat array.

    Parameters
    ----------
    link : Link
        The link.
    array : array
        Result of :func:`gather_params` for a link of this kind.
    """
    _scatter(link, array, 'data')
