"""A program whose chains run with and without ``static_graph`` in turns."""
import contextlib
import functools
import inspect
import os
import threading
from time import perf_counter_ns

from chainer_fast import link, optimizer
from chainer_fast._core.graphs import graph
from chainer_fast._help.command.profile import loop, records, replacing
from chainer_fast._help.command.profile.static import methods, results, turns
from chainer_fast.backends import cuda
from chainer_fast.configuration import config
from chainer_fast.graph_optimizations import static_graph
from chainer_fast.graph_optimizations._nested import flatten
from chainer_fast.training import _updater

# The phases that an update consists of; data are not part of it.
PHASES = 'forward', 'backward', 'update'
_plain_static = static_graph._static


class Session:
    """The methods of a program's chains, and its updates.

    An update is a call of ``update`` of an updater. In programs without an updater it
    ends when the optimizer that was updated first has been updated. In programs without
    updates, it is a call of a chain outside of chains.

    Parameters
    ----------
    limit : int, optional
        Number of updates after which the program ends.

    Attributes
    ----------
    methods : list of Method
        Those that were called, in the order of their first calls.
    turns : Turns
        Its samples are the nanoseconds of each phase of an update.
    profile : records.Profile
    has_updates : bool
        Whether the program has updated parameters.
    n_updates : int
    is_on_device : bool
        Whether chains return arrays on a GPU.
    """

    def __init__(self, limit=None):
        self._limit = limit
        self.methods = []
        self.turns = turns.Turns()
        self.profile = records.Profile()
        self.has_updates = self.is_on_device = False
        self.n_updates = 0
        self._replacements = replacing.Replacements()
        self._here = os.getpid(), threading.get_ident()
        # Methods that are running, with their chains.
        self._running = []
        self._depths = {'updater': 0, 'optimizer': 0}
        self._first_optimizer = None
        self._is_disturbed = False
        self._calls_before = 0

    def start(self):
        """Replace the methods of chains, optimizers and updaters."""
        replace = self._replacements.set
        loop.watch(self.profile, replace)
        for base, kind in ((_updater.Updater, 'updater'),
                           (optimizer.Optimizer, 'optimizer')):
            loop.watch_classes(
                base, ('update',), replace,
                lambda plain, kind=kind: graph.within(plain, functools.partial(
                    self._update, kind)))

        def static(function, **options):
            return self._decorate(function, options)

        # The names of its options.
        static.__kwdefaults__ = _plain_static.__kwdefaults__
        replace(static_graph, '_static', static)
        for base in link.Chain, link.ChainList:
            loop.watch_classes(
                base, ('__call__', 'forward'), replace, self._watch_method)
        self.profile.start()
        self._since = self._totals()

    def stop(self):
        """Restore all methods."""
        self.profile.stop()
        self._replacements.undo()

    # Methods of chains
    #

    def _decorate(self, function, options):
        """Return a method that the program decorates."""
        plain = getattr(function, '_measured', function)
        return self._measured(plain, functools.partial(_plain_static, **options), True)

    def _watch_method(self, function):
        """Return a method of a class of chains."""
        if not inspect.isfunction(function) or hasattr(function, '_measured'):
            return function
        return self._measured(function, _plain_static, False)

    def _measured(self, plain, decorate, is_decorated):
        method = methods.Method(plain, decorate, is_decorated)

        @functools.wraps(plain)
        def call(chain, *args, **kwargs):
            return self._call(method, chain, args, kwargs)

        call._measured = plain      # type: ignore[attr-defined]    # a mark
        return call

    def _call(self, method, chain, args, kwargs):
        running = self._running
        if running and (method.is_quiet or (
                running[-1][1] is chain and not method.is_decorated)):
            # The latter are methods of base classes, or __call__ that calls forward.
            return method.plain(chain, *args, **kwargs)
        if (os.getpid(), threading.get_ident()) != self._here or (
                self.has_updates and not config.train and not config.enable_backprop):
            return method.unmeasured(chain, args, kwargs)
        caller = running[-1][0] if running else None
        if not method.callers:
            self.methods.append(method)
        method.callers.add(caller)
        running.append((method, chain))
        try:
            with self._spans.forward() if caller is None else contextlib.nullcontext():
                returned = self._make(method, chain, args, kwargs)
        finally:
            running.pop()
        if caller is None:
            self.is_on_device = self.is_on_device or any(
                isinstance(getattr(y, 'raw_array', y), cuda.ndarray)
                for y in flatten(returned))
            if not self.has_updates and self.turns.note(None):
                self._end_turn()
        return returned

    def _make(self, method, chain, args, kwargs):
        begin = perf_counter_ns()
        if method is not self.turns.method or method.state != methods.TRIED:
            returned = method.plain(chain, *args, **kwargs)
            method.note_plain(perf_counter_ns() - begin)
            return returned
        if method.is_check_due(chain):
            returned, way, is_same = results.call_checked(method, chain, args, kwargs)
            if is_same is not None:
                method.note_check(is_same)
            self._is_disturbed = True
            begin = None
        else:
            returned, way = method.call_static(chain, args, kwargs)
        method.note_static(
            way, begin and perf_counter_ns() - begin, chain, args, kwargs)
        return returned

    # Updates
    #

    @property
    def _spans(self):
        return self.profile.threads[0].spans

    def _totals(self):
        """Return the nanoseconds of each phase up to now."""
        self._spans.move(self._spans.place, perf_counter_ns())
        return [self._spans.rows[(), phase].host for phase in PHASES]

    @contextlib.contextmanager
    def _update(self, kind, updated, *_, **__):
        """Return the context of the method ``update`` of an updater or optimizer."""
        depths = self._depths
        if (os.getpid(), threading.get_ident()) != self._here:
            yield
            return
        if kind == 'updater' and not depths[kind]:
            self._since = self._totals()
        depths[kind] += 1
        try:
            yield
        finally:
            depths[kind] -= 1
        if depths[kind]:
            return
        if kind == 'optimizer' and self._first_optimizer is None:
            self._first_optimizer = updated
        if kind == 'updater' or (
                not depths['updater'] and updated is self._first_optimizer):
            self._end_update()

    def _end_update(self):
        if self.is_on_device:
            with self._spans.span('update'):
                cuda.cupy.cuda.get_current_stream().synchronize()
        if not self.has_updates:
            # What was called before was not part of updates.
            self.has_updates = True
            self.turns.begin()
            for method in self.methods:
                method.begin()
        now = self._totals()
        sample = None if self._is_disturbed else [
            after - before for after, before in zip(now, self._since, strict=True)]
        self._since, self._is_disturbed = now, False
        self.n_updates += 1
        if self.turns.note(sample):
            self._end_turn()
        if self._limit is not None and self.n_updates >= self._limit:
            raise SystemExit(0)

    def _end_turn(self):
        method = self.turns.method
        if method is not None:
            method.end_turn(method.n_static - self._calls_before)
        for each in self.methods:
            if each.state is None and self._is_to_be_tried(each):
                each.state = methods.TRIED
        for each in self.methods:
            each.is_quiet = each.state is None and any(
                other.state == methods.TRIED and other.counts['planned']
                for other in _closure(each))
        self.turns.next([
            each for each in self.methods if each.state == methods.TRIED])
        method = self.turns.method
        self._calls_before = 0 if method is None else method.n_static

    def _is_to_be_tried(self, method):
        if method.is_decorated:
            return True
        around = _closure(method)
        return not any(
            each.is_decorated and (each in around or method in _closure(each))
            for each in self.methods) and any(
                caller is None or caller.state in (methods.REFUSED, methods.WRONG)
                or self.turns.is_slower(caller) for caller in method.callers)


def _closure(method):
    """Return the methods around calls of a method."""
    found, new = set(), [method]
    while new:
        callers = new.pop().callers - found - {None}
        found |= callers
        new += callers
    return found
