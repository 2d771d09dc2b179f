"""Chains whose graph is the same in every call.

Chainer records the computation of such a chain in its first call; later calls repeat
the recording instead of running the chain's Python code, which saves building the
graph.

On the processor, the first two calls of a kind run the code, and are compared. If both
did the same, a *plan* makes later ones, forward and backward, without the code: see
:mod:`._processor`. If they differ, the call is refused:
``schedule_manager.calls.refused`` has the function and the reason, which
``verbosity_level=2`` prints, and the code runs in every call. It also runs with hooks,
in debug mode, for arrays that are not in C order, and for a call in which NumPy must
warn of a floating-point error. Results are those of the plain chain: bit-identical in
float64; in float32, products are rounded differently.

Effects of a call besides applying functions are

- planned, if it sets attributes of links to variables, arrays or None, such as the
  state of :class:`~chainer_fast.links.LSTM`, whether or not the next call continues
  from it;
- planned, if its functions update arrays, such as the running statistics of
  :class:`~chainer_fast.links.BatchNormalization`;
- planned, if its functions draw uniform random numbers, like ``dropout``: every call
  draws the numbers that the plain chain would draw;
- refused otherwise: other noise, counts such as that of ``finetune=True``, reported
  values, and changes of arrays, lists or graphs by the code itself.

Values that the code computes with NumPy rather than with functions are the same in
every call of a plan, as in Chainer's recordings. This has two consequences.

- A call is refused if the code reads the array of a variable: ``x.array``, ``x.data``,
  ``x.grad``, ``x.item()``, ``chainer.as_array(x)``. A mask computed from ``x.array``
  may have been equal in the first two calls, but differ in the next one. The code may
  read ``x.array.shape``, test whether ``x.array`` is None, or pass the array on, as in
  ``chainer.Variable(x.array)``. If the computed values are the same in every call,
  pass ``static_graph(allow_array_reads=True)``.
- Values that the code computes from arrays that are arguments themselves, not
  variables, cannot be distinguished from constants. Compute a mask of them with
  functions (``F.where``), make it outside of the chain and pass it as an argument, or
  do not decorate the method.

The first calls of 64 kinds are recorded (``max_cache_size``). If there are more, the
least recently called kind is dropped, with its memory, and a new kind is recorded only
if it occurs again soon. Therefore a number that differs in each call, such as a growing
coefficient, costs neither memory nor recordings, as the code makes these calls; passed
as an array, it is an input like others.

On a GPU, the second call of a kind is recorded as a CUDA graph, if possible, and later
ones launch the graph, forward and backward: see :mod:`._gpu`. The chain's code then no
longer runs. A call that waits for the GPU, reports values or changes attributes of
links is not recorded, and neither is one with a function that CuPy cannot record. The
chain then runs its code in every call. Noise, such as that of ``dropout``, is drawn
before each launch, by the same generator as without the decorator.

The first call with inputs of a kind is also recorded as a
:class:`StaticScheduleFunction`: a list of steps that can be inspected, and repeated on
arrays.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from chainer_fast.configuration import config, using_config
from chainer_fast.graph_optimizations import _reads, _replay, _side_effects
from chainer_fast.graph_optimizations._cache import LIMIT
from chainer_fast.graph_optimizations._call import Call
from chainer_fast.graph_optimizations._decorator import decorated
from chainer_fast.graph_optimizations._gpu.calls import RecordedCalls
from chainer_fast.graph_optimizations._nested import flatten
from chainer_fast.graph_optimizations._processor.calls import PlannedCalls
from chainer_fast.graph_optimizations._schedule import StaticScheduleFunction
from chainer_fast.graph_optimizations._schedule_parts import ArrayInfo, ScheduleInfo
from chainer_fast.graph_optimizations._trace import Trace
from chainer_fast.variable import Variable, VariableOrArray

__all__ = [
    'ArrayInfo', 'ScheduleInfo', 'ScheduleManager', 'StaticScheduleFunction',
    'static_graph']


class ScheduleManager:
    """Keeps the schedules of a static chain, one for each kind of inputs.

    Inputs are of one kind if their shapes and dtypes, ``config.train`` and
    ``config.enable_backprop`` are the same.

    Parameters
    ----------
    minimize_cache_size : bool
        Whether to drop schedules that were recorded with another configuration.
    verbosity_level : int
        If 1 or more, a line is printed for each recording.
    max_cache_size : int
        Maximum number of kinds of calls, and of kinds of inputs, that are kept. The
        least recently called ones are dropped.

    Attributes
    ----------
    calls : PlannedCalls
        Calls on the processor. Its ``refused`` lists those without plans, and the
        reasons.
    recordings : RecordedCalls
        Calls recorded as CUDA graphs. Its ``refused`` lists those that are not
        recorded, and the reasons.
    """

    def __init__(
            self, minimize_cache_size: bool = True, verbosity_level: int = 0,
            max_cache_size: int = LIMIT) -> None:
        _check_size(max_cache_size)
        self.minimize_cache_size = minimize_cache_size
        self.verbosity_level = verbosity_level
        self.max_cache_size = max_cache_size
        self.latest = _replay.LatestCalls()
        self._settings = None
        self._begin()

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy of the chain makes new recordings.
        return ScheduleManager, (
            self.minimize_cache_size, self.verbosity_level, self.max_cache_size)

    def _begin(self):
        """Drop all schedules."""
        self.schedules: dict[Any, Any] = {}
        self.latest.clear()
        self.recordings = RecordedCalls(self.latest, limit=self.max_cache_size)
        self.calls = PlannedCalls(
            self.latest, self.verbosity_level, self.max_cache_size)

    def get_schedule(
            self, in_vars: Sequence[VariableOrArray],
            enable_double_backprop: bool = False) -> StaticScheduleFunction:
        """Return the schedule for inputs, which is empty the first time.

        Parameters
        ----------
        in_vars : sequence of Variable or array
            Arguments of the call.
        enable_double_backprop : bool
            Whether a recording can be differentiated twice.

        Returns
        -------
        StaticScheduleFunction
            The recording for these arguments.
        """
        settings = (bool(config.train), bool(config.enable_backprop))
        if self.minimize_cache_size and settings != self._settings:
            self._begin()
        self._settings = settings
        kind = (settings, tuple([(x.shape, x.dtype) for x in in_vars]))
        schedule = self.schedules.pop(kind, None)
        if schedule is None:
            schedule = StaticScheduleFunction(
                self, self.verbosity_level, enable_double_backprop)
        self.schedules[kind] = schedule     # the latest is the last
        if len(self.schedules) > self.max_cache_size:
            del self.schedules[next(iter(self.schedules))]
        return schedule

    def end_forward(self) -> None:
        """Declare that an iteration has ended.

        Programs call this if they do not call ``backward``. CUDA graphs can then be
        launched again, and gradients of earlier calls can no longer be computed.
        """
        self.recordings.release()

    def __repr__(self) -> str:
        lines = ['<%s of %d schedules>' % (type(self).__name__, len(self.schedules))]
        for ((train, backprop), arrays), schedule in self.schedules.items():
            lines.append('train=%s enable_backprop=%s %s: %r' % (
                train, backprop,
                ', '.join(['%s %s' % array for array in arrays]), schedule))
        return '\n'.join(lines)


def static_graph(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Declare that a method of a chain has the same graph in every call.

    A decorator for ``__call__`` or ``forward`` of a chain, with or without arguments.
    The method works as without the decorator, but faster if its calls can be repeated
    from a recording; the module's docstring lists the conditions. Its first call is
    recorded, and the chain gets

    - ``schedule_manager``, the :class:`ScheduleManager` with the recordings, and
    - ``static_schedule``, the :class:`StaticScheduleFunction` of the latest call.

    With ``config.use_static_graph`` set to ``False`` nothing is recorded.

    Parameters
    ----------
    force_test_define_by_run : bool
        Whether not to record calls while ``config.train`` is ``False``.
    minimize_cache_size : bool
        Whether to drop recordings when ``config.train`` or ``config.enable_backprop``
        changes.
    verbosity_level : int
        If 1 or more, a line is printed for each recording.
    enable_double_backprop : bool
        Whether a recording, applied as a function, can be differentiated twice.
    max_cache_size : int
        Maximum number of kinds of calls that are kept, 64 by default. Calls are of one
        kind if their inputs have the same shapes and dtypes, and their other arguments
        and the configuration are equal. The least recently called kind is dropped. If
        there are more kinds, the code makes a call, unless one of its kind was among
        the latest ones.
    allow_array_reads : bool
        Whether to plan calls on the processor although their code reads arrays of
        variables. Values that the code computes from them with NumPy must be the same
        in every call.

    Raises
    ------
    TypeError
        If the decorated object is not a function.
    ValueError
        If ``max_cache_size`` is less than 1.

    Warns
    -----
    UserWarning
        If another keyword argument is passed, which is ignored.

    Examples
    --------
    >>> class MLP(chainer.Chain):
    ...     def __init__(self):
    ...         super().__init__()
    ...         with self.init_scope():
    ...             self.l1 = L.Linear(3, 4)
    ...             self.l2 = L.Linear(4, 2)
    ...     @chainer.static_graph
    ...     def forward(self, x):
    ...         return self.l2(F.relu(self.l1(x)))
    >>> model = MLP()
    >>> for _ in range(3):  # the first call is recorded, the others repeat it
    ...     y = model(np.ones((5, 3), np.float32))
    >>> y.shape
    (5, 2)
    """
    return decorated('static_graph', _static, args, kwargs)


def _static(func, *, force_test_define_by_run=False, minimize_cache_size=True,
            verbosity_level=0, enable_double_backprop=False, max_cache_size=LIMIT,
            allow_array_reads=False):
    _check_size(max_cache_size)

    @functools.wraps(func)
    def call(chain, *args, **kwargs):
        manager = chain.__dict__.get('schedule_manager')
        if manager is not None:
            returned = manager.latest.repeat(chain, func, args, kwargs)
            if returned is _replay.REFUSED:
                return func(chain, *args, **kwargs)
            if returned is not _replay.MISS:
                return returned
        recording = config.schedule_func is not None
        if recording or not config.use_static_graph or (
                force_test_define_by_run and not config.train):
            return func(chain, *args, **kwargs)
        if manager is None:
            chain.schedule_manager = manager = ScheduleManager(
                minimize_cache_size, verbosity_level, max_cache_size)
        return _make(
            Call(func, chain, args, kwargs), manager, enable_double_backprop,
            not allow_array_reads)
    return call


def _check_size(max_cache_size):
    if max_cache_size < 1:
        raise ValueError(
            'max_cache_size is %r, but must be at least 1: set '
            'config.use_static_graph to False to keep none' % (max_cache_size,))


def _make(call, manager, enable_double_backprop, watches_reads):
    """Make a call with its plan or recording, or else with the chain's code."""
    schedule = manager.get_schedule(call.inputs, enable_double_backprop)
    call.chain.static_schedule = schedule
    on_processor = call.kind is not None and call.kind.gpu is None
    if on_processor:
        returned = manager.calls.apply(call, schedule)
        if returned is not _replay.MISS:
            return returned
    planned_calls = manager.calls if on_processor and manager.calls.wants(
        call.kind) else None
    if schedule.is_empty() or planned_calls is not None:
        return _record(schedule, call, planned_calls, watches_reads)
    if call.kind is not None and not on_processor:
        returned = manager.recordings.apply(call, schedule)
        if returned is not _replay.MISS:
            return returned
    return call.run()


def _record(schedule, call, planned_calls, watches_reads):
    """Make a call with the chain's code while a schedule records it.

    The call is traced as well if it may get a plan.
    """
    first = schedule.is_empty()
    if not first:
        # Another recording, to be compared with the first.
        schedule = StaticScheduleFunction(None)
    trace = None if planned_calls is None else Trace(call.chain, watches_reads)
    with using_config('schedule_func', schedule), _side_effects.noted(trace), \
            _reads.noted(trace):
        schedule.trace = trace
        try:
            returned = call.run()
        finally:
            schedule.trace = None
    if trace is not None:
        planned_calls.note(call, trace, returned)
    if not first:
        return returned
    schedule.set_out_variables(
        [y for y in flatten(returned) if isinstance(y, Variable)])
    schedule.build_schedule(call.chain, call.inputs)
    schedule._rerun = call.repetition()
    if schedule.verbosity_level > 0:
        print('static_graph: %s.%s' % (
            type(call.chain).__name__, call.func.__name__), schedule)
    return returned
