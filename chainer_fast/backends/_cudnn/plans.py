"""Operations of cuDNN: their graphs, and the plans that carry them out.

A *graph* says what is computed from which tensors; a *plan* is an engine of cuDNN that
does it. Looking for one takes milliseconds, so plans are kept by operation, and so is
the answer that there is none.
"""
import contextlib
import functools
import warnings

import numpy

from chainer_fast.backends import _cudnn
from chainer_fast.backends._cudnn import layouts, library
from chainer_fast.backends._cupy import cupy
from chainer_fast.configuration import config

# Plans that a thread keeps for a device. A network has some hundred.
LIMIT = 1024

# Bytes of workspace where memory is short.
SPARING = 256 << 20

_TYPES = {'e': 'HALF', 'f': 'FLOAT', 'd': 'DOUBLE'}


class Graph:
    """A graph of cuDNN, with names for the tensors that come and go.

    Parameters
    ----------
    dtype : numpy.dtype
        Type of the tensors. Half floats are computed in single precision.
    last : bool
        Whether the tensors have their channels last in memory.
    **options
        Further arguments of ``cudnn.pygraph``, such as the handle.

    Attributes
    ----------
    native : cudnn.pygraph
        The graph itself, which has the operations.
    names : list of str
        Names of the tensors, whose numbers count from one.
    """

    def __init__(self, dtype, last, **options):
        self._types = library.frontend().data_type
        self._dtype, self._last = dtype, last
        compute = self._type(numpy.promote_types(dtype, 'f'))
        self.native = library.frontend().pygraph(
            io_data_type=self._type(dtype), intermediate_data_type=compute,
            compute_data_type=compute, **options)
        self.names = []

    def _type(self, dtype):
        return getattr(self._types, _TYPES[dtype.char])

    def _number(self, name):
        self.names.append(name)
        return len(self.names)

    def operand(self, name, shape, dtype=None):
        """Return a new tensor."""
        return self.native.tensor(
            name=name, dim=list(shape), stride=layouts.strides(shape, self._last),
            data_type=self._type(dtype or self._dtype), uid=self._number(name))

    def number(self, name, ndim):
        """Return a new tensor for a number, which is in host memory."""
        return self.native.tensor(
            name=name, dim=[1] * ndim, stride=[1] * ndim, is_pass_by_value=True,
            data_type=self._types.FLOAT, uid=self._number(name))

    def result(self, tensor, name, shape, dtype=None):
        """Give a tensor that the graph computes a name, and let it be written."""
        tensor.set_output(True).set_data_type(self._type(dtype or self._dtype))
        tensor.set_dim(list(shape)).set_stride(layouts.strides(shape, self._last))
        tensor.set_uid(self._number(name))


class _Number:

    def __init__(self, value):
        self._array = numpy.array(value, 'f')
        self.ptr = self._array.ctypes.data
        self.data = self


@functools.lru_cache(LIMIT)
def number(value):
    """Return a number in host memory, which has its address where arrays have it."""
    return _Number(value)


class Plan:
    """A graph with the engine that computes it.

    Parameters
    ----------
    graph : Graph
        A graph whose operations have been described.
    deterministic : bool
        Whether the engine has to give the same bits in every run.
    tensor_cores : bool
        Whether the engine may use Tensor Cores.
    limit : int or None
        Bytes of workspace that it may use.

    Attributes
    ----------
    index : int or None
        Place of the engine among those that cuDNN proposes, once it is chosen.
    size : int
        Bytes of workspace that it uses.

    Raises
    ------
    cudnn.cudnnGraphNotSupportedError
        If no engine can compute it.
    """

    def __init__(self, graph, deterministic, tensor_cores, limit):
        frontend = library.frontend()
        self._native, self._limit = graph.native, limit
        self._names = list(enumerate(graph.names, 1))
        self.index, self.size = None, 0
        native = graph.native
        native.validate()
        native.build_operation_graph()
        native.create_execution_plans(
            [frontend.heur_mode.A, frontend.heur_mode.FALLBACK])
        notes = frontend.numerical_note
        unwanted = [notes.NONDETERMINISTIC] if deterministic else []
        if not tensor_cores:
            # The second rounds its operands even in single precision.
            unwanted += [notes.TENSOR_CORE, notes.DOWN_CONVERT_INPUTS]
        if unwanted:
            native.deselect_numeric_notes(unwanted)
        if limit is not None:
            native.deselect_workspace_greater_than(limit)
        native.check_support()

    def _engines(self):
        """Choose one engine after the other, the one that cuDNN thinks best first."""
        native, refusal = self._native, None
        for index in range(native.get_execution_plan_count()):
            try:
                native.build_plan_at_index(index)
                size = native.get_workspace_size_plan_at_index(index)
            except (RuntimeError, library.frontend().cudnnGraphNotSupportedError) as e:
                # Without the frames, which have the graph and would keep it.
                refusal = refusal or e.with_traceback(None)
                continue
            if self._limit is None or size <= self._limit:
                self.index, self.size = index, size
                yield index
        if self.index is None:
            raise refusal or library.frontend().cudnnGraphNotSupportedError(
                'no engine passed')

    def build(self):
        """Choose the engine that cuDNN thinks best."""
        next(self._engines())

    def tune(self, arrays, handle):
        """Choose the engine that takes the least time, which is measured."""
        measured = []
        for index in self._engines():
            with contextlib.suppress(MemoryError):
                measured.append((self._time(arrays, handle), index, self.size))
        if not measured:
            raise MemoryError('no engine has the workspace that it needs')
        _, self.index, self.size = min(measured)
        self._native.build_plan_at_index(self.index)

    def _time(self, arrays, handle):
        self.run(arrays, handle)
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        for _ in range(3):
            self.run(arrays, handle)
        end.record()
        end.synchronize()
        return cupy.cuda.get_elapsed_time(start, end)

    def run(self, arrays, handle):
        """Compute with the arrays of these names, on the stream of the handle."""
        workspace = cupy.cuda.alloc(self.size) if self.size else None
        self._native.execute(
            {number: arrays[name].data.ptr for number, name in self._names},
            0 if workspace is None else workspace.ptr, handle=handle)


def run(describe, facts, arrays, dtype, last, tunable=False, ordinary=None):
    """Compute something with cuDNN.

    Parameters
    ----------
    describe : callable
        Function of the graph and the facts that adds the operations to the graph.
    facts : tuple
        Whatever decides on the graph: shapes, strides of windows and so on.
    arrays : dict
        Arrays of CuPy, aligned ones, and numbers, by the names of their tensors.
    dtype : numpy.dtype
        Type of the graph.
    last : bool
        Whether the channels are last in memory.
    tunable : bool
        Whether ``config.autotune`` applies. Several engines then write the results, so
        these must not be operands.
    ordinary : tuple, optional
        Facts of a graph that any device with engines for the operation takes. A device
        that refuses this one, too, is not asked for the operation again.

    Returns
    -------
    bool
        False if cuDNN has no engine for it. Nothing has been computed then.
    """
    session = library.session()
    plans = session.plans
    key = (describe, facts, dtype, last, config.cudnn_deterministic,
           config.use_cudnn_tensor_core, _cudnn._max_workspace_size,
           tunable and config.autotune)
    if key in plans:
        plan = plans.pop(key)
    else:
        plan = _find(session, key, arrays, ordinary, _cudnn.get_max_workspace_size())
        if len(plans) >= LIMIT:
            del plans[next(iter(plans))]
    plans[key] = plan                       # the latest is last
    if plan is None:
        return False
    try:
        plan.run(arrays, session.handle)
    except MemoryError:
        if plan.size <= SPARING:
            raise
        plan = plans[key] = _find(session, key, arrays, ordinary, SPARING)
        if plan is None:
            return False
        plan.run(arrays, session.handle)
    return True


def _find(session, key, arrays, ordinary, limit):
    describe, facts, *others, _, tune = key
    kind = describe, *others
    if kind in session.without:
        return None

    def choose(plan):
        if tune:
            plan.tune(arrays, session.handle)
        else:
            plan.build()
    plan = _attempt(session.handle, describe, facts, *others, limit, choose)
    if plan is None and ordinary is not None and _attempt(
            session.handle, describe, ordinary, *others, None) is None:
        session.without.add(kind)
    return plan


def _attempt(handle, describe, facts, dtype, last, deterministic, _, limit,
             choose=None):
    """Return a plan, once its engine is chosen; None if there is no engine."""
    graph = Graph(dtype, last, handle=handle)
    tensor_cores = _cudnn.should_use_cudnn_tensor_core(dtype)
    try:
        describe(graph, *facts)
        plan = Plan(graph, deterministic, tensor_cores, limit)
        if choose is not None:
            choose(plan)
    except library.frontend().cudnnGraphNotSupportedError:
        return None
    except RuntimeError as e:
        # What a graph is refused with depends on the version. An installation that does
        # not work looks the same, and should not go unnoticed.
        warnings.warn('cuDNN refused %s of %s: %s' % (describe.__name__, facts, e))
        return None
    return plan
