"""Configuration entries: global values that each thread can override."""
from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager
from typing import IO, TYPE_CHECKING, Any

from chainer_fast._core.configuration import state as _state
from chainer_fast._help import mistakes
from chainer_fast.configuration import _defaults

__all__ = ['GlobalConfig', 'LocalConfig', 'config', 'global_config', 'using_config']


def _show(entries, file):
    width = max([len(name) for name in entries], default=0)
    for name in sorted(entries):
        print('%-*s %s' % (width, name, entries[name]), file=file)


# Entries that the package reads.
_known: set[str] = set()


def _warn_of_misspelling(name, entries):
    if name in _known:
        return
    known = sorted(_known.intersection(entries))
    near = mistakes.called_here(name, known) or mistakes.nearest(name, known)
    if near is not None:
        mistakes.warn_once(('config', name), (
            'the configuration has no entry %r, so setting it changes nothing that '
            'Chainer reads; did you mean %r?' % (name, near)))


class GlobalConfig:
    """Configuration that is shared by all threads.

    Entries are plain attributes; any name can be set. The value applies to every thread
    that has not set its own through :data:`chainer_fast.config`.
    """

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any, /) -> None:
        _state.check(name, value)
        if name not in vars(self):
            _warn_of_misspelling(name, vars(self))
        super().__setattr__(name, value)
        _state.changed()

    def __delattr__(self, name: str, /) -> None:
        super().__delattr__(name)
        _state.changed()

    def show(self, file: IO[str] | None = None) -> None:
        """Print the entries, one per line, sorted by name.

        Parameters
        ----------
        file : file-like, optional
            Stream to print to; standard output by default.
        """
        _show(vars(self), file)


class _OwnEntries:
    """A thread's own entries of a configuration, as attributes."""

    __slots__ = ('_entries',)

    def __init__(self, config: LocalConfig) -> None:
        object.__setattr__(self, '_entries', config._own_entries())

    @property
    def __dict__(self) -> dict[str, Any]:    # type: ignore[override]
        return object.__getattribute__(self, '_entries')

    def __getattr__(self, name: str) -> Any:
        try:
            return vars(self)[name]
        except KeyError:
            raise AttributeError(
                'the running thread has no configuration entry %r' % (name,)) from None

    def __setattr__(self, name: str, value: Any, /) -> None:
        _state.check(name, value)
        vars(self)[name] = value
        _state.changed()

    def __delattr__(self, name: str, /) -> None:
        if name not in vars(self):
            raise AttributeError(
                'the running thread has no configuration entry %r to delete' % (name,))
        del vars(self)[name]
        _state.changed()


class _Lookup:
    """Descriptor for the name ``__getattr__`` of a configuration class."""

    def __get__(self, cls: type[Any] | None, owner: type[Any]) -> Any:
        return self if cls is None else vars(cls).get('_replaced', _look_up)

    def __call__(self, cls: type[Any], name: str) -> Any:
        # Called if the class itself lacks a name.
        return _look_up(name)


class _Replaceable(type):
    """Type of a class whose lookup is compiled until its ``__getattr__`` is replaced.

    Programs replace it to customize the lookup of entries.
    """

    __getattr__ = _Lookup()

    def __setattr__(cls, name: str, value: Any, /) -> None:
        if name != '__getattr__':
            super().__setattr__(name, value)
        elif value is not _look_up:
            super().__setattr__('_replaced', value)
            super().__setattr__('__getattribute__', _ask_replaced)
        elif '_replaced' in vars(cls):
            delattr(cls, name)

    def __delattr__(cls, name: str, /) -> None:
        if name == '__getattr__':
            super().__delattr__('_replaced')
            name = '__getattribute__'
        super().__delattr__(name)


def _ask_replaced(config, name):
    try:
        return object.__getattribute__(config, name)
    except AttributeError:
        return type(config)._replaced(config, name)


def _look_up(*config_and_name):
    """Return an entry, as the original ``LocalConfig.__getattr__`` does."""
    if len(config_and_name) == 1:       # Python looks up an attribute of the class.
        raise AttributeError(
            "type object 'LocalConfig' has no attribute %r" % (config_and_name,))
    return _state.LocalEntries.__getattribute__(*config_and_name)


class LocalConfig(_state.LocalEntries, metaclass=_Replaceable):
    """View of a ``GlobalConfig`` with precedence of the running thread's own entries.

    Reading an attribute returns the entry of the thread or, if there is none, the
    global one. Assigning and deleting affect only the entries of the thread.

    Parameters
    ----------
    global_config : GlobalConfig
        Configuration of the entries that the thread has not set.
    """

    __slots__ = ('_global',)

    _global: GlobalConfig

    def __init__(self, global_config: GlobalConfig) -> None:
        super().__init__(global_config)
        # An assignment would create an entry.
        type(self)._global.__set__(self, global_config)

    @property
    def _local(self) -> _OwnEntries:
        return _OwnEntries(self)

    def __dir__(self) -> list[str]:
        # For completion, and for the suggestions in Python's own errors.
        return sorted({*super().__dir__(), *self._seen()})

    def show(self, file: IO[str] | None = None) -> None:
        """Print the entries of the running thread and the global ones, one per line.

        Parameters
        ----------
        file : file-like, optional
            Stream to print to; standard output by default.
        """
        _show(self._seen(), file)


#: Configuration that all threads share.
global_config: GlobalConfig = GlobalConfig()
_defaults.load(global_config)
_known.update(vars(global_config), ('dtype',))

#: Configuration of the current thread.
config: LocalConfig = LocalConfig(global_config)

_state.bind_config(config, _warn_of_misspelling)

_MISSING = object()


class _UsingConfig(contextlib.ContextDecorator):
    """Sets an entry on entering and restores it on leaving."""

    __slots__ = ('_name', '_value', '_config', '_saved')

    def __init__(self, name: str, value: Any, config: LocalConfig) -> None:
        self._name = name
        self._value = value
        self._config = config
        self._saved = []

    def __enter__(self) -> None:
        self._saved.append(self._config._own(self._name, _MISSING))
        setattr(self._config, self._name, self._value)

    def __exit__(self, *exc_info: object) -> None:
        saved = self._saved.pop()
        if saved is _MISSING:
            delattr(self._config, self._name)
        else:
            setattr(self._config, self._name, saved)


def using_config(
        name: str, value: Any,
        config: LocalConfig = config) -> AbstractContextManager[Any]:
    """Set a configuration entry of the current thread for a ``with`` block.

    Parameters
    ----------
    name : str
        Name of the entry.
    value
        Value of the entry inside the block.
    config : LocalConfig
        The configuration to change; :data:`chainer_fast.config` by default.

    Returns
    -------
    context manager
        It can also be used as a decorator. At the end of the block, the entry of the
        thread is restored: if the thread had not set it, the global value applies
        again.

    See Also
    --------
    chainer_fast.config
    chainer_fast.global_config

    Examples
    --------
    >>> with chainer.using_config('train', False):
    ...     chainer.config.train
    False
    >>> chainer.config.train
    True
    """
    return _UsingConfig(name, value, config)


def get_compute_mode() -> str | None:
    """Return ``config.compute_mode``.

    Returns
    -------
    str or None
        With ``'cudnn_fast'``, links use memory layouts that suit cuDNN.

    Examples
    --------
    >>> with chainer.using_config('compute_mode', 'cudnn_fast'):
    ...     chainer.get_compute_mode()
    'cudnn_fast'
    """
    return config.compute_mode
