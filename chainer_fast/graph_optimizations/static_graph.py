"""Chains whose graph is the same in every call.

Chainer records the computation of such a chain in its first call; later calls repeat
the recording instead of running the chain's Python code, which saves building the
graph.

On the processor, the first two calls of a kind run the code, and are compared. If both
did the same, later ones are made by a *plan*, forward and backward, without the code:
see :mod:`._compiled`. If they differ, or do more than to apply functions, the call is
refused: ``schedule_manager.calls.refused`` names the function and the reason, which
``verbosity_level=2`` prints, and the code runs in every call. It also runs while there
are hooks, in debug mode, for arrays that are not in C order, and for a call in which
NumPy has to warn of a floating-point error. Numbers are those of the plain chain, in
float64 to the bit; in float32, products round otherwise. Random functions draw anew in
every call.

On a GPU, the second call of a kind is recorded as a CUDA graph, if it can be, and later
ones launch the graph, forward and backward: see :mod:`._replay`. Then the chain's code
does not run any more. A call that waits for the GPU, draws random numbers, reports
values or changes attributes of links is not recorded, and neither is one with a
function that CuPy cannot record, such as products by cuBLAS. The chain then runs its
code in every call.

The first call with inputs of a kind is also recorded as a
:class:`StaticScheduleFunction`: a list of steps that can be inspected, and repeated on
arrays.
"""
from __future__ import annotations

import functools
import typing as tp
import weakref

from chainer_fast import variable
from chainer_fast.backends import cuda
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.configuration import config, using_config
from chainer_fast.graph_optimizations import _host, _replay
from chainer_fast.graph_optimizations._recording import Recording
from chainer_fast.graph_optimizations._schedule import (
    ArrayInfo,
    ScheduleInfo,
    StaticScheduleFunction,
    flatten,
)
from chainer_fast.graph_optimizations._trace import Trace
from chainer_fast.types import VariableOrArray

if tp.TYPE_CHECKING:
    from chainer_fast.graph_optimizations._host import Calls
    from chainer_fast.graph_optimizations._replay import Recordings

__all__ = [
    'ArrayInfo', 'ScheduleInfo', 'ScheduleManager', 'StaticScheduleFunction',
    'static_graph']


class ScheduleManager:
    """Keeps the schedules of a static chain, one for each kind of inputs.

    Inputs are of one kind if their shapes and dtypes are the same, and so are
    ``config.train`` and ``config.enable_backprop``.

    Parameters
    ----------
    minimize_cache_size : bool
        Forget schedules that were recorded under other settings of the configuration.
    verbosity_level : int
        If 1 or more, a line is printed for each recording.

    Attributes
    ----------
    calls : Calls
        Calls on the processor. Its ``refused`` tells which are not made by plans, and
        why.
    recordings : Recordings
        Calls recorded as CUDA graphs. Its ``refused`` tells which are not, and why.
    """

    def __init__(
            self, minimize_cache_size: bool = True, verbosity_level: int = 0) -> None:
        self.minimize_cache_size = minimize_cache_size
        self.verbosity_level = verbosity_level
        self.schedules: dict[tp.Any, tp.Any] = {}
        self.recordings: Recordings = _replay.Recordings()
        self.calls: Calls = _host.Calls(verbosity_level)
        self._settings = None

    def __reduce__(self) -> tp.Any:
        # A copy of the chain makes new recordings.
        return ScheduleManager, (self.minimize_cache_size, self.verbosity_level)

    def get_schedule(
            self, in_vars: tp.Sequence[VariableOrArray],
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
            self.schedules.clear()
            self.recordings = _replay.Recordings()
            self.calls = _host.Calls(self.verbosity_level)
        self._settings = settings
        kind = (settings, tuple([(x.shape, x.dtype) for x in in_vars]))
        if kind not in self.schedules:
            self.schedules[kind] = StaticScheduleFunction(
                self, self.verbosity_level, enable_double_backprop)
        return self.schedules[kind]

    def end_forward(self) -> None:
        """Tell that an iteration is over.

        Programs call this if they do not call ``backward``. CUDA graphs can then be
        launched again, and gradients of earlier calls cannot be asked for any more.
        """
        self.recordings.release()

    def __repr__(self) -> str:
        lines = ['<%s of %d schedules>' % (type(self).__name__, len(self.schedules))]
        for ((train, backprop), arrays), schedule in self.schedules.items():
            lines.append('train=%s enable_backprop=%s %s: %r' % (
                train, backprop,
                ', '.join(['%s %s' % array for array in arrays]), schedule))
        return '\n'.join(lines)


def static_graph(*args: tp.Any, **kwargs: tp.Any) -> tp.Any:
    """Declare that a method of a chain has the same graph in every call.

    A decorator for ``__call__`` or ``forward`` of a chain, with or without arguments.
    The method works as without the decorator, and faster if its calls can be repeated
    from a recording; the module tells when. Its first call is recorded, and the chain
    gets

    - ``schedule_manager``, the :class:`ScheduleManager` with the recordings, and
    - ``static_schedule``, the :class:`StaticScheduleFunction` of the latest call.

    With ``config.use_static_graph`` set to ``False`` nothing is recorded.

    Parameters
    ----------
    force_test_define_by_run : bool
        Do not record calls while ``config.train`` is ``False``.
    minimize_cache_size : bool
        Forget recordings when ``config.train`` or ``config.enable_backprop`` changes.
    verbosity_level : int
        If 1 or more, a line is printed for each recording.
    enable_double_backprop : bool
        Whether a recording, applied as a function, can be differentiated twice.

    Raises
    ------
    TypeError
        If it decorates anything but a function.

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
    if len(args) == 1 and callable(args[0]):
        return _static(args[0], **kwargs)
    return functools.partial(_static, **kwargs)


def _static(func, *, force_test_define_by_run=False, minimize_cache_size=True,
            verbosity_level=0, enable_double_backprop=False):
    @functools.wraps(func)
    def call(chain, *args, **kwargs):
        manager = vars(chain).get('schedule_manager')
        if manager is not None:
            returned = manager.calls.repeat(chain, func, args, kwargs)
            if returned is not _host.MISS:
                return returned
        recording = config.schedule_func is not None
        if recording or not config.use_static_graph or (
                force_test_define_by_run and not config.train):
            return func(chain, *args, **kwargs)
        if manager is None:
            chain.schedule_manager = manager = ScheduleManager(
                minimize_cache_size, verbosity_level)
        inputs = [x for x in flatten((args, list(kwargs.values()))) if _is_input(x)]
        schedule = manager.get_schedule(inputs, enable_double_backprop)
        chain.static_schedule = schedule
        outline = _outline(args), _outline(kwargs)
        kind = _host.kind_of(func, inputs, outline)
        if kind is not None:
            returned = manager.calls.apply(kind, func, schedule, args, kwargs)
            if returned is not _host.MISS:
                return returned
        if schedule.is_empty() or (kind is not None and manager.calls.wants(kind)):
            return _record(schedule, func, chain, inputs, args, kwargs, kind)
        if kind is None and cuda.available:
            kind = _replay.kind_of(inputs, outline)
        else:
            kind = None
        if kind is not None:
            again = functools.partial(
                _call_again, func, weakref.ref(chain), *outline)
            launched, returned = chain.schedule_manager.recordings.apply(
                kind, inputs, lambda: Recording(again, chain, inputs))
            if launched:
                return returned
        return func(chain, *args, **kwargs)
    return call


def _is_input(x):
    if isinstance(x, variable.Variable):
        return x.raw_array is not None
    return isinstance(x, get_array_types())


def _record(schedule, func, chain, inputs, args, kwargs, kind):
    """Run a static chain's method while a schedule records it."""
    first = schedule.is_empty()
    if not first:
        # Another recording, to be compared with the first.
        schedule = StaticScheduleFunction(None)
    trace = None if kind is None else Trace()
    with using_config('schedule_func', schedule), _host.watched(chain, trace):
        schedule.trace = trace
        try:
            returned = func(chain, *args, **kwargs)
        finally:
            schedule.trace = None
    if kind is not None:
        chain.schedule_manager.calls.note(
            kind, trace, chain, inputs, (args, kwargs), returned, functools.partial(
                _call_again, func, weakref.ref(chain), _outline(args),
                _outline(kwargs)))
    if not first:
        return returned
    schedule.set_out_variables(
        [y for y in flatten(returned) if isinstance(y, variable.Variable)])
    schedule.build_schedule(chain, inputs)
    schedule._rerun = functools.partial(
        _call_again, func, weakref.ref(chain), _outline(args), _outline(kwargs))
    if schedule.verbosity_level > 0:
        print('static_graph: %s.%s' % (type(chain).__name__, func.__name__), schedule)
    return returned


# Placeholder for an input in the outline of a call.
_INPUT = object()


def _outline(args):
    """Return the arguments of a call with a placeholder for every input."""
    if isinstance(args, dict):
        return {name: _outline(value) for name, value in args.items()}
    if isinstance(args, (list, tuple)):
        return [_outline(value) for value in args]
    return _INPUT if _is_input(args) else args


def _fill(outline, inputs):
    if isinstance(outline, dict):
        return {name: _fill(value, inputs) for name, value in outline.items()}
    if isinstance(outline, list):
        return [_fill(value, inputs) for value in outline]
    return next(inputs) if outline is _INPUT else outline


def _call_again(func, chain, args, kwargs, inputs):
    """Repeat a call of a static chain's method on other inputs."""
    inputs = iter(inputs)
    return func(chain(), *_fill(args, inputs), **_fill(kwargs, inputs))
