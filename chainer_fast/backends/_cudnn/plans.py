"""Operations of cuDNN: their graphs, and the plans that execute them.

A *graph* specifies a computation on tensors; a *plan* is an engine of cuDNN that
executes it. Finding one takes milliseconds, so that plans are kept by operation, as is
the result that no plan exists.
"""
import contextlib
import warnings

from chainer_fast.backends import _captures, _cudnn
from chainer_fast.backends._cudnn import (
    cache,
    executions,
    graphs,
    library,
    nvrtc,
    sessions,
)
from chainer_fast.backends._cupy import cupy
from chainer_fast.configuration import config

# Maximum number of plans of a thread for a device. A network needs about a hundred.
LIMIT = sessions.LIMIT

# Bytes of workspace if memory is short.
SPARING = 256 << 20


class Plan(sessions.Engine):
    """A graph with the engine that computes it.

    Parameters
    ----------
    graph : graphs.Graph
        A graph whose operations have been described.
    deterministic : bool
        Whether the engine must return identical bits in every run.
    tensor_cores : bool
        Whether the engine may use Tensor Cores.
    limit : int or None
        Bytes of workspace that it may use.

    Attributes
    ----------
    index : int or None
        Index of the engine among those that cuDNN proposes, after its
        selection.
    names : list of str
        Names of its tensors, in the order of their numbers.
    size : int
        Bytes of workspace that it uses.
    execution : sessions.Execution or None
        The fastest way to call the engine, if it is not the public one.
    entry : cache.Entry or None
        The file from which the plan was read.

    Raises
    ------
    cudnn.cudnnGraphNotSupportedError
        If no engine can compute it.
    """

    def __init__(self, graph, deterministic, tensor_cores, limit):
        frontend = library.frontend()
        self._native, self._limit = graph.native, limit
        self.names = graph.names
        self.index, self.size, self.entry = None, 0, None
        native = graph.native
        native.validate()
        native.build_operation_graph()
        native.create_execution_plans(
            [frontend.heur_mode.A, frontend.heur_mode.FALLBACK])
        notes = frontend.numerical_note
        unwanted = [notes.NONDETERMINISTIC] if deterministic else []
        if not tensor_cores:
            # The second one rounds its operands even in single precision.
            unwanted += [notes.TENSOR_CORE, notes.DOWN_CONVERT_INPUTS]
        if unwanted:
            native.deselect_numeric_notes(unwanted)
        if limit is not None:
            native.deselect_workspace_greater_than(limit)
        native.check_support()

    def _engines(self):
        """Select one engine after the other, in cuDNN's order of preference."""
        native, refusal = self._native, None
        for index in range(native.get_execution_plan_count()):
            try:
                native.build_plan_at_index(index)
                size = native.get_workspace_size_plan_at_index(index)
            except (RuntimeError, library.frontend().cudnnGraphNotSupportedError) as e:
                # Without the frames, which would keep the graph alive.
                refusal = refusal or e.with_traceback(None)
                continue
            if self._limit is None or size <= self._limit:
                self.index, self.size = index, size
                yield index
        if self.index is None:
            raise refusal or library.frontend().cudnnGraphNotSupportedError(
                'no engine passed')

    def build(self):
        """Select the engine that cuDNN prefers."""
        next(self._engines())

    def prepare(self, handle):
        """Find the fastest way to call the selected engine."""
        self.execution = executions.find(self._native, len(self.names), handle)

    def tune(self, arrays, handle):
        """Select the fastest engine by measurement."""
        measured = []
        for index in self._engines():
            with contextlib.suppress(MemoryError):
                measured.append((self._time(arrays, handle), index, self.size))
        if not measured:
            raise MemoryError('the workspace is too small for all engines')
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
        addresses = [arrays[name].data.ptr for name in self.names]
        if _captures.is_capturing():
            # The handle is destroyed after its plans: lists drop their last elements
            # first.
            _captures.keep(sessions.session(), self)
        workspace = cupy.cuda.alloc(self.size) if self.size else None
        place = 0 if workspace is None else workspace.ptr
        if self.execution is None:
            self._native.execute(
                dict(enumerate(addresses, 1)), place, handle=handle)
        else:
            self.execution(addresses, place)

    def serialize(self):
        """Return the plan as a list of bytes, including its kernels."""
        return self._native.serialize()


class _Loaded(Plan):
    """A plan that an earlier process wrote to a file."""

    def __init__(self, graph, entry, data, handle):
        self._native = library.frontend().pygraph(handle=handle)
        self._native.deserialize(handle, data)
        self.names = graph.names
        self.index, self.size = None, self._native.get_workspace_size()
        self.entry = entry


def run(describe, facts, arrays, dtype, last, tunable=False, ordinary=None):
    """Compute something with cuDNN.

    Parameters
    ----------
    describe : callable
        Function of the graph and the facts that adds the operations to the graph.
    facts : tuple
        All values that determine the graph, such as shapes and strides of windows.
    arrays : dict
        Aligned CuPy arrays, and numbers, by the names of their tensors.
    dtype : numpy.dtype
        Type of the graph.
    last : bool
        Whether the channels are last in memory.
    tunable : bool
        Whether ``config.autotune`` applies. Several engines then write the results, so
        these must not be operands.
    ordinary : tuple, optional
        Facts of a graph that all devices with engines for the operation support. If a
        device rejects this graph, too, the operation is not tried again on it. cuDNN
        compiles kernels for such operations, and their plans are kept on disk.

    Returns
    -------
    bool
        False if cuDNN has no engine for it. In this case nothing was computed.
    """
    session = sessions.session()
    plans = session.plans
    key = (describe, facts, dtype, last, config.cudnn_deterministic,
           config.use_cudnn_tensor_core, _cudnn._max_workspace_size,
           tunable and config.autotune and not _captures.is_capturing())
    kept = plans.get(key)
    if kept is None:
        plan = _find(session, key, arrays, ordinary, _cudnn.get_max_workspace_size())
        if len(plans) >= LIMIT:
            _drop_one(plans)
        kept = plans[key] = sessions.Kept(plan)
    session.touch(kept)
    plan = kept.plan
    if plan is None:
        return False
    try:
        plan.run(arrays, session.handle)
    except MemoryError:
        if plan.size <= SPARING:
            raise
        plan = _find(session, key, arrays, ordinary, SPARING)
    except RuntimeError:
        if plan.entry is None:
            raise
        plan.entry.remove()
        plan = _find(session, key, arrays, ordinary, _cudnn.get_max_workspace_size())
    else:
        session.note(kept, plan.names, arrays)
        return True
    kept.plan = plan
    if plan is None:
        return False
    plan.run(arrays, session.handle)
    session.note(kept, plan.names, arrays)
    return True


def _drop_one(plans):
    """Drop the least recently used plan."""
    key = min(plans, key=lambda key: plans[key].used)
    plans.pop(key).plan = None


def _find(session, key, arrays, ordinary, limit):
    """Return a plan, from a file or with an engine of cuDNN, or None."""
    describe, facts, dtype, last, deterministic, *_, tune = key
    settings = dtype, last, deterministic, _cudnn.should_use_cudnn_tensor_core(dtype)
    handle, kind = session.handle, (describe, *settings)

    def choose(plan):
        if tune:
            plan.tune(arrays, handle)
        else:
            plan.build()
        plan.prepare(handle)
    if kind in session.without:
        return None
    if ordinary is None:
        return _attempt(handle, describe, facts, settings, limit, choose)
    has_compiler = nvrtc.is_found()     # before cuDNN searches it
    entry = cache.Entry(describe.__module__, describe.__qualname__, facts, dtype.char,
                        *settings[1:], limit)
    plan = _load(handle, describe, facts, settings, entry)
    if plan is not None:
        plan.prepare(handle)
        return plan
    plan = _attempt(handle, describe, facts, settings, limit, choose)
    if plan is not None:
        _save(plan, entry)
    elif _attempt(handle, describe, ordinary, settings, None) is None:
        if not has_compiler:
            nvrtc.warn(describe.__module__.rpartition('.')[2].replace('_', ' '))
        session.without.add(kind)
    return plan


def _attempt(handle, describe, facts, settings, limit, choose=None):
    """Return a plan with a selected engine; None if there is no engine."""
    dtype, last, deterministic, tensor_cores = settings
    graph = graphs.Graph(dtype, last, handle=handle)
    try:
        describe(graph, *facts)
        plan = Plan(graph, deterministic, tensor_cores, limit)
        if choose is not None:
            choose(plan)
    except library.frontend().cudnnGraphNotSupportedError:
        return None
    except RuntimeError as e:
        # The error for a rejected graph depends on the version. A broken installation
        # raises the same errors, and must be reported.
        warnings.warn('cuDNN rejected %s of %s: %s' % (describe.__name__, facts, e))
        return None
    return plan


def _load(handle, describe, facts, settings, entry):
    data = entry.read()
    if data is None:
        return None
    graph = graphs.Graph(*settings[:2], handle=handle)
    try:
        describe(graph, *facts)
        return _Loaded(graph, entry, data, handle)
    except (RuntimeError, library.frontend().cudnnGraphNotSupportedError):
        return None


def _save(plan, entry):
    # Plans that the frontend cannot serialize, for whatever reason, are built again.
    with contextlib.suppress(Exception):
        entry.write(plan.serialize())
