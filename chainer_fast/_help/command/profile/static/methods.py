"""Methods of chains that run with and without ``static_graph``."""
import collections
import functools
import os

import numpy

from chainer_fast.backends import _captures
from chainer_fast.configuration import config
from chainer_fast.graph_optimizations import _call

# The latest times of calls that are kept.
_KEPT = 4096
# Blocks of updates after which a method without a planned call, or without any call, is
# no longer tried.
_BLOCKS = 2
# Planned calls that are compared with calls of the code in any case.
_CHECKS = 3

TRIED, REFUSED, WRONG, IDLE = 'tried', 'refused', 'wrong', 'idle'


class Method:
    """A method, with the decorator and without.

    Parameters
    ----------
    plain : function
        The method without the decorator.
    decorate : callable
        ``static_graph`` with its options.
    is_decorated : bool
        Whether the program has the decorator.

    Attributes
    ----------
    static : function
        The method with the decorator.
    callers : set of (Method or None)
        Methods of other chains that call it; None outside of chains.
    state : str or None
        ``TRIED`` while some updates run it statically; ``REFUSED`` if none of its calls
        had a plan, ``WRONG`` if a plan computed other numbers than the code, ``IDLE``
        if updates do not call it; None before it is tried.
    is_quiet : bool
        Whether calls from other chains are not recorded, as one of these has plans.
    counts : Counter
        Calls by their way: ``'plain'`` in turns without the decorator, and else
        ``'planned'``, ``'recorded'``, or ``'code'`` for others made by the code.
    times : dict of str to deque
        Nanoseconds of calls: ``'plain'``, ``'static'`` and ``'planned'``, which are
        some of the static ones.
    reasons : Counter
        Why static calls were made by the code.
    """

    def __init__(self, plain, decorate, is_decorated):
        self.plain = plain
        self.is_decorated = is_decorated

        @functools.wraps(plain)
        def noted(chain, *args, **kwargs):
            is_recording = config.schedule_func is not None or _captures.is_capturing()
            self._way = 'recorded' if is_recording else 'code'
            return plain(chain, *args, **kwargs)

        self._noted = noted
        self.static = decorate(noted)
        self.callers = set()
        self._way = None
        self.is_quiet = False
        self.begin()

    def begin(self):
        """Drop what has been measured."""
        self.state = None
        self.counts = collections.Counter()
        self.times = collections.defaultdict(
            lambda: collections.deque(maxlen=_KEPT))
        self.reasons = collections.Counter()
        self._checks = self._blocks = 0

    @property
    def name(self):
        """The class and the method, without functions around them."""
        return self.plain.__qualname__.rpartition('<locals>.')[2]

    @property
    def place(self):
        """The file and the line, or None for a method of this package."""
        if self.plain.__module__.startswith('chainer_fast.'):
            return None
        code = self.plain.__code__
        here = os.path.join(os.getcwd(), '')
        return '%s, line %d' % (
            code.co_filename.removeprefix(here), code.co_firstlineno)

    @property
    def n_static(self):
        return sum(self.counts.values()) - self.counts['plain']

    def unmeasured(self, chain, args, kwargs):
        """Make a call as the program has it."""
        function = self.static if self.is_decorated else self.plain
        return function(chain, *args, **kwargs)

    def note_plain(self, elapsed):
        """Count a call without the decorator."""
        self.counts['plain'] += 1
        self.times['plain'].append(elapsed)

    def call_static(self, chain, args, kwargs):
        """Make a call with the decorator.

        Returns
        -------
        object
            Its result.
        str
            Its way.
        """
        # A chain may call another one of its class.
        outer, self._way = self._way, None
        try:
            returned = self.static(chain, *args, **kwargs)
            return returned, self._way or 'planned'
        finally:
            self._way = outer

    def note_static(self, way, elapsed, chain, args, kwargs):
        """Count a call with the decorator; its time is None if it was compared."""
        self.counts[way] += 1
        if elapsed is not None:
            self.times['static'].append(elapsed)
            if way == 'planned':
                self.times['planned'].append(elapsed)
        if way == 'code':
            self.reasons[_reason(self._noted, chain, args, kwargs)] += 1

    def is_check_due(self, chain):
        """Return whether to compare a static call with the code.

        A program's own decorator is its own business; on a GPU, calls change arrays
        that cannot be restored.
        """
        n = self.n_static
        return not self.is_decorated and chain.xp is numpy and (
            self._checks < _CHECKS or n & (n - 1) == 0)

    def note_check(self, is_same):
        """Record that the numbers of a planned call were compared."""
        self._checks += 1
        if not is_same:
            self.state = WRONG

    def end_turn(self, n_calls):
        """Record that updates have run it statically, with a number of calls."""
        if self.state != TRIED or self.counts['planned'] or (
                n_calls and self.is_decorated):
            return
        self._blocks += 1
        if self._blocks == _BLOCKS:
            self.state = REFUSED if self.n_static else IDLE


def _reason(function, chain, args, kwargs):
    """Return why the code made a call."""
    manager = vars(chain).get('schedule_manager')
    if not config.use_static_graph:
        return 'config.use_static_graph is False'
    if manager is None:
        return 'force_test_define_by_run is True'
    call = _call.Call(function, chain, args, kwargs)
    if call.kind is None:
        return _call.obstacle(call.inputs)
    cache = manager.calls if call.kind.gpu is None else manager.recordings
    if call.kind in cache.refused:
        return cache.refused[call.kind]
    if not cache.is_worth_it(call.kind):
        return 'there are more than %d kinds of calls' % manager.max_cache_size
    return 'NumPy warns of the numbers, or the state of links is new'
