"""The training loop."""
from __future__ import annotations

import contextlib
import itertools
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from chainer_fast import reporter as reporter_module
from chainer_fast import serializer as serializer_module
from chainer_fast._help import display, mistakes
from chainer_fast.reporter import Reporter
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training import _shown, _state, _updater, util
from chainer_fast.training import extension as extension_module
from chainer_fast.utils import _random_state

if TYPE_CHECKING:
    from chainer_fast.training._updater import Updater

_get_time = time.perf_counter


class _ExtensionEntry:
    """An extension with the settings made by :meth:`Trainer.extend`."""

    def __init__(self, extension, trigger, priority, call_before_training) -> None:
        self.extension, self.trigger = extension, trigger
        self.priority = priority
        self.call_before_training = call_before_training


class Trainer(display.Shown):
    """The training loop with its extensions.

    An iteration is one call of ``updater.update()``. Values that the model reports
    meanwhile are in ``observation``. Then the extensions whose triggers fire are
    called, those of high priority first. :meth:`serialize` covers updater, triggers and
    extensions, so that a trainer built in the same way can continue from a snapshot.

    Parameters
    ----------
    updater : Updater
        Object that performs the iterations. Its optimizers' targets become observers of
        the reporter under the names of the optimizers.
    stop_trigger : tuple or callable, optional
        When to end the training; see :func:`chainer_fast.training.get_trigger`; by
        default never.
    out : str
        Folder for the output of extensions.
    extensions : iterable, optional
        Extensions to add initially.

    Attributes
    ----------
    updater, stop_trigger, out :
        The arguments; the trigger is a callable here.
    observation : dict
        Values reported during the last iteration.
    reporter : Reporter
        Reporter that collects the values.

    See Also
    --------
    chainer_fast.training.StandardUpdater
    chainer_fast.training.extensions

    Examples
    --------
    >>> class Regression(chainer.Chain):
    ...     def __init__(self):
    ...         super().__init__()
    ...         with self.init_scope():
    ...             self.layer = L.Linear(3, 1)
    ...     def forward(self, x, t):
    ...         loss = F.mean_squared_error(self.layer(x), t)
    ...         chainer.report({'loss': loss}, self)
    ...         return loss
    >>> data = chainer.datasets.TupleDataset(
    ...     np.ones((20, 3), np.float32), np.zeros((20, 1), np.float32))
    >>> optimizer = chainer.optimizers.Adam(0.1).setup(Regression())
    >>> updater = chainer.training.StandardUpdater(
    ...     chainer.iterators.SerialIterator(data, 5), optimizer)
    >>> trainer = chainer.training.Trainer(updater, (30, 'epoch'), out='result')
    >>> trainer.extend(chainer.training.extensions.LogReport(trigger=(10, 'epoch')))
    >>> trainer.run()
    >>> log = trainer.get_extension('LogReport').log
    >>> [entry['epoch'] for entry in log], log[-1]['main/loss'] < log[0]['main/loss']
    ([10, 20, 30], True)
    """

    updater: Updater
    out: str
    reporter: Reporter
    observation: dict[Any, Any]

    # Functions to call at the end of run(), of triggers that hold on to something.
    _at_end: tuple[Callable[[], Any], ...] = ()

    def __init__(
            self, updater: Updater,
            stop_trigger: Sequence[Any] | Callable[..., Any] | None = None,
            out: str = 'result', extensions: Iterable[Any] | None = None) -> None:
        mistakes.require(updater, 'get_all_optimizers', (
            'the updater of a trainer must be a chainer.training.Updater, as in '
            "Trainer(StandardUpdater(iterator, optimizer), (20, 'epoch'))"))
        self.updater, self.out = updater, out
        self.stop_trigger: Any = util.get_trigger(stop_trigger)
        self.reporter, self.observation = _make_reporter(updater), {}
        self._start_at = None
        self._final_elapsed_time: Any = None
        self._snapshot_elapsed_time = 0.
        self._done = False
        self._extensions = {}
        updater.connect_trainer(self)
        for added in extensions or ():
            self.extend(added)

    @property
    def is_before_training(self) -> bool:
        """Whether no iteration has been done yet."""
        return not self.updater.iteration

    @property
    def elapsed_time(self) -> float:
        """Seconds of training, including those before the snapshot it was resumed from.

        Raises
        ------
        RuntimeError
            Before :meth:`run`.
        """
        if self._done:
            return self._final_elapsed_time
        if self._start_at is not None:
            return self._snapshot_elapsed_time + (_get_time() - self._start_at)
        raise RuntimeError('training has not been started yet')

    def extend(
            self, extension: Callable[..., Any], name: str | None = None,
            trigger: Sequence[Any] | Callable[..., Any] | None = None,
            priority: int | None = None, *, call_before_training: bool = False,
            invoke_before_training: Any = extension_module._NOT_GIVEN) -> None:
        """Add an extension.

        An omitted argument defaults to the attribute of the extension, or to that of
        :class:`Extension` if the extension has none.

        Parameters
        ----------
        extension : callable
            An :class:`Extension`, or any callable that takes the trainer.
        name : str, optional
            Name of the extension, and of its state in snapshots. If it is taken,
            ``_1``, ``_2``, ... is appended.
        trigger : tuple or callable, optional
            When to call it; by default at each iteration.
        priority : int, optional
            Extensions of high priority are called first; by default
            ``PRIORITY_READER``.
        call_before_training : bool
            Whether to call it once before the first iteration, too.

        Raises
        ------
        TypeError
            If the extension has no name.
        ValueError
            If the name is ``'training'``, or if the retired argument
            ``invoke_before_training`` is given.
        """
        extension_module._refuse_invoke_before_training(invoke_before_training)
        name = self._unique_name(
            _find_name(extension) if name is None else name)
        if trigger is None:
            trigger = getattr(
                extension, 'trigger', extension_module.Extension.trigger)
        if priority is None:
            priority = getattr(
                extension, 'priority', extension_module.Extension.priority)
        # Methods and built-in functions cannot have additional attributes.
        with contextlib.suppress(AttributeError):
            extension.name = name  # type: ignore[attr-defined]
        self._extensions[name] = _ExtensionEntry(
            extension=extension, trigger=util.get_trigger(trigger), priority=priority,
            call_before_training=call_before_training)

    def _unique_name(self, name):
        if name == 'training':
            raise ValueError('the name "training" is prohibited as an extension name')
        unique, ordinal = name, 0
        while unique in self._extensions:
            ordinal += 1
            unique = '%s_%d' % (name, ordinal)
        return unique

    def get_extension(self, name: str) -> Any:
        """Return an extension.

        Parameters
        ----------
        name : str
            Its name, as made by :meth:`extend`.

        Returns
        -------
        callable
            The extension.

        Raises
        ------
        ValueError
            If there is no extension with this name.
        """
        if name not in self._extensions:
            raise ValueError('extension %s not found, there are: %s'
                             % (name, ', '.join(map(str, self._extensions))))
        return self._extensions[name].extension

    def run(self, show_loop_exception_msg: bool = True) -> None:
        """Train until the stop trigger fires.

        If anything fails, ``on_error`` of the extensions is called. In any case,
        extensions and updater are finalized.

        Parameters
        ----------
        show_loop_exception_msg : bool
            Whether to print an exception before ``on_error`` and ``finalize`` are
            called; it is always raised after that.

        Raises
        ------
        RuntimeError
            If the training is already complete.
        """
        if self._done:
            raise RuntimeError('cannot run training loop multiple times')
        _make_folder(self.out)
        entries = sorted(self._extensions.values(), key=lambda entry: -entry.priority)
        extensions = [entry.extension for entry in entries]

        self._start_at = _get_time()
        # Snapshots first: they may load a state from which the others continue.
        try:
            for entry in sorted(entries, key=lambda e: not _is_snapshot(e.extension)):
                for initialize in _methods([entry.extension], 'initialize'):
                    if not _is_over(entry):
                        with _named(entry):
                            initialize(self)
        except BaseException:
            # Nothing is finalized, and run() may be called again, as in Chainer, but
            # runs of other tools must not stay open.
            _call_all(_methods(extensions, '_abandon'))
            raise

        try:
            self._loop(_in_order_of_calls(entries))
        except Exception as e:
            self._handle_error(e, extensions, show_loop_exception_msg)
            raise
        finally:
            _call_all([*_finalizers(entries), self.updater.finalize, *self._at_end])
        self._final_elapsed_time = self.elapsed_time
        self._done = True

    def _loop(self, entries):
        # Read once, regardless of what extensions assign meanwhile.
        reporter, update, stop = self.reporter, self.updater.update, self.stop_trigger
        if self.is_before_training:
            with reporter.scope(self.observation):
                for entry in entries:
                    if entry.call_before_training:
                        with _named(entry):
                            entry.extension(self)
        while not stop(self):
            self.observation = {}
            with reporter.scope(self.observation):
                update()
                for entry in entries:
                    try:
                        if entry.trigger(self):
                            entry.extension(self)
                    except Exception as error:
                        _name(entry, error)
                        raise

    def _handle_error(self, exception, extensions, show):
        def tell(what, error):
            if show:
                print('%s: %s' % (what, error), file=sys.stderr)
                if error is not exception:
                    print('Traceback (most recent call last):', file=sys.stderr)
                    traceback.print_tb(error.__traceback__)

        tell('Exception in main training loop', exception)
        if show:
            print('Will finalize trainer extensions and updater before reraising the '
                  'exception.', file=sys.stderr)
        for on_error in _methods(extensions, 'on_error'):
            try:
                on_error(self, exception, exception.__traceback__)
            except Exception as e:  # the first exception is the one to raise
                tell('Exception in error handler', e)

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read everything that determines the rest of the training.

        This includes the updater, triggers, extensions and the elapsed time, and,
        unlike in Chainer, the observation and the states of ``numpy.random`` and of
        Python's ``random``. A snapshot that lacks these additions does not change them.

        Parameters
        ----------
        serializer : AbstractSerializer
            The serializer or deserializer.
        """
        with _random_state.global_is_saved():
            self.updater.serialize(serializer['updater'])
        _serialize_if_it_can(self.stop_trigger, serializer, 'stop_trigger')
        states = serializer['extensions']
        triggers = serializer['extension_triggers']
        for name, entry in self._extensions.items():
            try:
                _serialize_if_it_can(entry.extension, states, name)
            except KeyError as error:
                mistakes.tell(error, (
                    'the snapshot has no state of the extension %r, or an older one: '
                    'load it with strict=False to start the extension without its '
                    'state' % (name,)))
                raise
            _serialize_if_it_can(entry.trigger, triggers, name)

        key = '_snapshot_elapsed_time'
        if isinstance(serializer, serializer_module.Deserializer):
            self._snapshot_elapsed_time = serializer(key, 0.)
        else:
            serializer(key, self.elapsed_time)
        _state.serialize_observation(self, serializer)
        # Last, since loading may initialize parameters.
        _random_state.serialize_global(serializer)

    def _shown(self):
        return _shown.describe(self)


def _make_folder(path):
    try:
        if path:
            os.makedirs(path, exist_ok=True)
    except OSError as e:
        # Extensions that write files will fail, but there may be none.
        warnings.warn('cannot make the folder for the output of extensions: %s' % (e,),
                      RuntimeWarning, stacklevel=3)


def _make_reporter(updater):
    reporter = reporter_module.Reporter()
    for name, optimizer in updater.get_all_optimizers().items():
        mistakes.require(optimizer, 'target', _updater.AN_OPTIMIZER)
        if optimizer.target is None:
            raise AttributeError(
                'the optimizer %r (%s) is not set up: call optimizer.setup(model) '
                'first' % (name, type(optimizer).__name__))
        reporter.add_observer(name, optimizer.target)
        reporter.add_observers(name, optimizer.target.namedlinks(skipself=True))
    return reporter


def _is_snapshot(extension):
    return isinstance(getattr(extension, '_saves_trainer', None), bool)


def _is_over(entry):
    """Return whether an extension has already been called for the last time.

    It is then not initialized again, unless it has something to restore.
    """
    return getattr(entry.trigger, 'finished', False) and not getattr(
        entry.extension, '_restores', False)


def _in_order_of_calls(entries):
    """Put snapshots of the trainer after other snapshots of the same priority.

    They contain the states of the other snapshots' triggers.
    """
    ordered = []
    for _, group in itertools.groupby(
            entries, lambda entry: (entry.priority, _is_snapshot(entry.extension))):
        ordered += sorted(group, key=lambda entry: (
            _is_snapshot(entry.extension) and entry.extension._saves_trainer))
    return ordered


def _find_name(extension):
    for attribute in ('name', 'default_name', '__name__'):
        name = getattr(extension, attribute, None)
        if name is not None:
            return name
    raise TypeError('name is not given for the extension, and %r has none either'
                    % (extension,))


def _methods(extensions, name):
    """Return the methods of a name, for the extensions that define it."""
    methods = [getattr(extension, name, None) for extension in extensions]
    return [method for method in methods if method]


def _finalizers(entries):
    for entry in entries:
        for finalize in _methods([entry.extension], 'finalize'):
            yield _named(entry)(finalize)


@contextlib.contextmanager
def _named(entry):
    try:
        yield
    except Exception as error:
        _name(entry, error)
        raise


def _name(entry, error):
    """Add the name of the extension that raised an exception to it."""
    extension = entry.extension
    name = getattr(extension, 'name', None)
    kind = getattr(extension, '__name__', None) or type(extension).__name__
    if kind.startswith('_'):    # such as _Snapshot, which snapshot() makes
        kind = kind.lstrip('_').lower()
    mistakes.tell(error, 'In the extension: %s%s' % (
        kind, ' (%r)' % (name,) if name not in (None, kind) else ''))
    if isinstance(extension, type):
        mistakes.tell(error, 'It is a class, but extend() needs an object: '
                             '%s()' % (kind,))


def _call_all(functions):
    """Call all functions even if some fail; raise the first exception."""
    exceptions = []
    for function in functions:
        try:
            function()
        except BaseException as e:
            exceptions.append(e)
    if exceptions:
        raise exceptions[0]


def _serialize_if_it_can(target, serializer, name):
    if hasattr(target, 'serialize'):
        target.serialize(serializer[name])
