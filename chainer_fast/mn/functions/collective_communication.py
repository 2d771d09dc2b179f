"""Exchange of variables between all processes of a communicator."""
from __future__ import annotations

from collections.abc import Sequence

import numpy

from chainer_fast import backend, function, variable
from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase
from chainer_fast.mn.functions._messages import Places, narrowed, widened
from chainer_fast.types import GradArrays, NdArray
from chainer_fast.utils.experimental import experimental
from chainer_fast.variable import Variable, VariableOrArray


def _total(arrays):
    """Return the sum of arrays, in the order of the ranks."""
    first, *others = arrays
    total = first.copy()
    for array in others:
        total += array
    return total


def _from_elsewhere(y):
    """Return an array of the root, with the dtype of the configuration."""
    return narrowed(y, get_dtype(None, map_mixed16=numpy.float16))


def _empty():
    """Return the input of processes without one, which requires a gradient."""
    return variable.Variable(numpy.zeros(0, numpy.float32))


def _taking_part(xs):
    """Return inputs of which at least one requires a gradient.

    The other processes participate in the backward pass even if the root needs no
    gradients, and would wait for it.
    """
    if any([isinstance(x, variable.Variable) and x.requires_grad for x in xs]):
        return xs
    return (*xs, _empty())


class _Collective(function.Function):
    """A function of all processes of a communicator."""

    def __init__(self, comm: CommunicatorBase) -> None:
        experimental('chainermn.functions.' + type(self).__name__)
        self.comm = comm


class AllGather(_Collective):
    """Sends the arrays of all processes to each of them.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    """

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        x, = inputs
        self._places = Places(inputs)
        ys = self.comm.allgather(*widened(inputs))
        ys = tuple([narrowed(y, x.dtype) for y in ys])
        self._outputs = Places(ys)
        return ys

    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        gys = widened(self._outputs.filled(grad_outputs))
        return self._places.fitted([_total(self.comm.alltoall(gys))])


class AllToAll(_Collective):
    """Sends an array to each process, and receives one from each.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    """

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        self._places = Places(inputs)
        ys = self.comm.alltoall(widened(inputs))
        ys = tuple([narrowed(y, inputs[0].dtype) for y in ys])
        self._outputs = Places(ys)
        return ys

    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        gys = widened(self._outputs.filled(grad_outputs))
        return self._places.fitted(self.comm.alltoall(gys))


class _Rooted(_Collective):
    """A function in which one process, the root, sends or receives all arrays."""

    def __init__(self, comm: CommunicatorBase, root: int) -> None:
        super().__init__(comm)
        self.root = root

    @property
    def _is_root(self):
        return self.comm.rank == self.root


class Bcast(_Rooted):
    """Sends the array of one process to all of them.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    root : int
        Rank of the process that has the array.
    """

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        if not self._is_root:
            return _from_elsewhere(self.comm.bcast(None, root=self.root)),
        self._places = Places(inputs[:1])
        y = self.comm.bcast(*widened(inputs[:1]), root=self.root)  # type: ignore[misc]
        return narrowed(y, inputs[0].dtype),

    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        gxs = self.comm.gather(  # type: ignore[misc]
            *widened(grad_outputs), root=self.root)
        if not self._is_root:
            return None,
        return (*self._places.fitted([_total(gxs)]), None)


class Gather(_Rooted):
    """Sends the arrays of all processes to one of them.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    root : int
        Rank of the process that gets the arrays.
    """

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        x, = inputs
        self._places = Places(inputs)
        ys = self.comm.gather(*widened(inputs), root=self.root)  # type: ignore[misc]
        # On other processes the backward pass begins at the empty output.
        if self._is_root:
            ys = [narrowed(y, x.dtype) for y in ys]
        else:
            ys = [backend.get_array_module(x).zeros(0, x.dtype)]
        self._outputs = Places(ys)
        return tuple(ys)

    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        gys = None
        if self._is_root:
            gys = widened(self._outputs.filled(grad_outputs))
        return self._places.fitted([self.comm.scatter(gys, root=self.root)])


class Scatter(_Rooted):
    """Sends one of the arrays of a process to each process.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    root : int
        Rank of the process that has the arrays.
    """

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        if not self._is_root:
            return _from_elsewhere(self.comm.scatter(None, root=self.root)),
        xs = inputs[:self.comm.size]
        self._places = Places(xs)
        y = self.comm.scatter(widened(xs), root=self.root)
        return narrowed(y, xs[self.root].dtype),

    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        gxs = self.comm.gather(  # type: ignore[misc]
            *widened(grad_outputs), root=self.root)
        if not self._is_root:
            return None,
        return (*self._places.fitted(gxs), None)


def allgather(comm: CommunicatorBase, x: VariableOrArray) -> tuple[Variable, ...]:
    """Gather variables of all processes on all processes.

    The gradient of ``x`` is the sum of the gradients of all its copies.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    x : Variable or array
        The variable of this process, of any shape.

    Returns
    -------
    tuple of Variable
        The variables by rank.

    Examples
    --------
    ::

        rows = chainermn.functions.allgather(comm, x)
        y = F.stack(rows)
    """
    experimental('chainermn.functions.all_gather')
    return _as_tuple(AllGather(comm)(x))


def alltoall(
        comm: CommunicatorBase,
        xs: Sequence[VariableOrArray]) -> tuple[Variable, ...]:
    """Exchange variables of all processes with all processes.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    xs : list or tuple of Variable or array
        ``xs[i]`` goes to rank ``i``. The shapes may differ, the dtypes may not.

    Returns
    -------
    tuple of Variable
        Variables of all processes, by rank.

    Raises
    ------
    ValueError
        If there is not one of ``xs`` for each process.

    Examples
    --------
    ::

        ys = chainermn.functions.alltoall(comm, F.split_axis(x, comm.size, axis=0))
    """
    experimental('chainermn.functions.all_to_all')
    _check_count(comm, xs)
    return _as_tuple(AllToAll(comm)(*xs))


def bcast(comm: CommunicatorBase, x: VariableOrArray, root: int = 0) -> Variable:
    """Broadcast a variable of one process to all processes.

    The gradient of ``x`` is the sum of the gradients of all its copies.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    x : Variable or array
        The variable of the root; ignored on other processes, where it may be
        None.
    root : int
        Rank of the root.

    Returns
    -------
    Variable
        The variable of the root. On other processes, float16 is received as float16
        only if it is ``chainer.config.dtype``, otherwise as float32.

    Examples
    --------
    ::

        y = chainermn.functions.bcast(comm, x if comm.rank == 0 else None)
    """
    experimental('chainermn.functions.bcast')
    inputs = _taking_part((x,)) if comm.rank == root else (_empty(),)
    return Bcast(comm, root)(*inputs)


def gather(
        comm: CommunicatorBase, x: VariableOrArray,
        root: int = 0) -> tuple[Variable, ...]:
    """Gather variables of all processes on one process.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    x : Variable or array
        The variable of this process, of any shape.
    root : int
        Rank of the process that gets the variables.

    Returns
    -------
    tuple of Variable, or Variable
        The root gets the variables by rank. Other processes get an empty delegate
        variable, from which their backward pass must begin.

    Examples
    --------
    ::

        y = chainermn.functions.gather(comm, x)
        loss = F.sum(F.stack(y)) if comm.rank == 0 else y
        loss.backward()
    """
    experimental('chainermn.functions.gather')
    y = Gather(comm, root)(x)
    return _as_tuple(y) if comm.rank == root else y


def scatter(
        comm: CommunicatorBase, xs: Sequence[VariableOrArray],
        root: int = 0) -> Variable:
    """Send one of the variables of a process to each process.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    xs : list or tuple of Variable or array
        ``xs[i]`` of the root goes to rank ``i``; of any shape. Ignored on the other
        processes, where it may be None.
    root : int
        Rank of the root.

    Returns
    -------
    Variable
        The variable for this process. On processes other than the root, float16 is
        received as float16 only if it is ``chainer.config.dtype``, otherwise as
        float32.

    Raises
    ------
    ValueError
        If there is not one of ``xs`` for each process.

    Examples
    --------
    ::

        parts = F.split_axis(x, comm.size, axis=0) if comm.rank == 0 else None
        y = chainermn.functions.scatter(comm, parts)
    """
    experimental('chainermn.functions.scatter')
    if comm.rank == root:
        _check_count(comm, xs)
        return Scatter(comm, root)(*_taking_part(tuple(xs)))
    return Scatter(comm, root)(_empty())


def _as_tuple(ys):
    """Return outputs as a tuple; a job of one process has only one."""
    return ys if isinstance(ys, tuple) else (ys,)


def _check_count(comm, xs):
    if len(xs) != comm.size:
        raise ValueError(
            '%d variables were passed for %d processes: pass one for each rank'
            % (len(xs), comm.size))
