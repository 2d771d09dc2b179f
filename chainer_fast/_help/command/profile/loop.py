"""The phases of training that a profile records."""
import contextlib
import copy
import functools
import importlib._bootstrap
import inspect
import multiprocessing.pool
import sys
from typing import Any

from chainer_fast import _backend, _backprop, optimizer, serializer
from chainer_fast._core.backward import backprop
from chainer_fast._core.graphs import graph
from chainer_fast._core.updates import update
from chainer_fast._help.command.profile import workers
from chainer_fast.dataset import convert, iterator
from chainer_fast.iterators import (
    _own_reader,
    multiprocess_iterator,
    multithread_iterator,
)
from chainer_fast.serializers import hdf5, npz
from chainer_fast.training import _updater, trainer
from chainer_fast.training.extensions import snapshot_writers

FILES = 'saving, loading'
SETUP = 'begin, end'
UPDATER = "updater's own"
# The order of phases in a report.
PHASES = (
    'import', 'iterator', 'converter', 'transfer', UPDATER, 'forward', 'backward',
    'update', FILES, SETUP, 'waiting')

# Replaced methods, and the phases they belong to.
_FUNCTIONS = (
    (_own_reader.OwnReader, '_read', 'iterator'),
    (convert, '_call_converter', 'converter'),
    (convert._ArbitraryCallableConverter, '__call__', 'converter'),
    (convert.ConcatWithAsyncTransfer, '__call__', 'converter'),
    (convert.Conveyor, 'put', 'transfer'),
    (_backend.Device, 'send', 'transfer'),
    (backprop, 'backward_from', 'backward'),
    (backprop, 'differentiate', 'backward'),
    (_backprop, '_backprop_to_all', 'backward'),
    (update, 'update_params', 'update'),
    (serializer.Serializer, 'save', FILES),
    (serializer.Deserializer, 'load', FILES),
    (npz, '_write', FILES),
    (hdf5, '_save', FILES),
    (snapshot_writers.Writer, 'save', FILES),
    (multiprocessing.pool.ApplyResult, 'wait', 'waiting'),
    (multiprocess_iterator.MultiprocessIterator, '_wait', 'waiting'),
    (snapshot_writers.StandardWriter, '_wait', 'waiting'),
    (snapshot_writers.QueueWriter, '_wait', 'waiting'),
)


def watch(profile, replace):
    """Record phases in a profile.

    Parameters
    ----------
    profile : records.Profile
    replace : callable
        ``replace(place, name, new)`` replaces an attribute.
    """
    def within(plain, phase, name_of=None):
        def enter(*args, **kwargs):
            return profile.here().spans.span(phase, name_of and name_of(*args))
        return graph.within(plain, enter)

    for place, name, phase in _FUNCTIONS:
        replace(place, name, within(getattr(place, name), phase))
    for base, names, phase, name_of in (
            (iterator.Iterator, ('next', '__next__'), 'iterator', None),
            (optimizer.Optimizer, ('update',), 'update', None),
            (_updater.Updater, ('update',), UPDATER, _iteration)):
        watch_classes(base, names, replace, functools.partial(
            within, phase=phase, name_of=name_of))
    _watch_imports(profile, replace)
    _watch_losses(profile, replace)
    _watch_extensions(profile, replace)
    threaded = multithread_iterator.MultithreadIterator
    replace(threaded, '_read', staticmethod(within(threaded._read, 'iterator')))
    workers.watch(profile, replace)


def _iteration(updater):
    return 'iteration %d' % getattr(updater, 'iteration', 0)


def watch_classes(base, names, replace, within):
    """Replace methods of a class and of its subclasses, present and future ones."""
    def watch(cls):
        for name in names:
            if callable(vars(cls).get(name)):
                replace(cls, name, within(vars(cls)[name]))

    def watch_all(cls):
        watch(cls)
        for derived in cls.__subclasses__():
            watch_all(derived)

    own = vars(base).get('__init_subclass__')

    def init_subclass(cls, **kwargs):
        if own is None:
            super(base, cls).__init_subclass__(**kwargs)
        else:
            own.__get__(None, cls)(**kwargs)
        watch(cls)

    watch_all(base)
    replace(base, '__init_subclass__', classmethod(init_subclass))


def _watch_imports(profile, replace):
    machinery: Any = importlib._bootstrap

    def enter(name, import_):
        # importlib.import_module() also calls this for modules that are loaded.
        return contextlib.nullcontext() if name in sys.modules else (
            profile.here().spans.span('import', name))

    replace(machinery, '_find_and_load', graph.within(
        machinery._find_and_load, enter))


def _watch_losses(profile, replace):
    """Count a loss function that an optimizer calls as forward computation."""
    plain = optimizer.GradientMethod.update

    def watched_update(self, lossfun=None, *args, **kwds):
        if lossfun is not None:
            lossfun = graph.within(
                lossfun, lambda *args, **kwds: profile.here().spans.forward())
        return plain(self, lossfun, *args, **kwds)

    replace(optimizer.GradientMethod, 'update', functools.wraps(plain)(watched_update))


def _watch_extensions(profile, replace):
    """Make a group of each extension of a trainer."""
    def enter(extension, phase=None):
        return lambda *args: profile.here().spans.span(phase, group=_label(extension))

    plain_loop, plain_methods = trainer.Trainer._loop, trainer._methods

    def loop(self, entries):
        watched = []
        for entry in entries:
            entry = copy.copy(entry)
            entry.extension = graph.within(entry.extension, enter(entry.extension))
            watched.append(entry)
        plain_loop(self, watched)

    def methods(extensions, name):
        return [graph.within(method, enter(extension, SETUP))
                for extension in extensions
                for method in plain_methods([extension], name)]

    replace(trainer.Trainer, '_loop', loop)
    replace(trainer, '_methods', methods)


def _label(extension):
    """Return the name of an extension, with its class if that is informative."""
    kind = type(extension).__name__
    name = getattr(extension, 'name', None) or getattr(extension, '__name__', kind)
    return name if inspect.isroutine(extension) or name == kind else (
        '%s (%s)' % (name, kind))
