"""Methods of links that add and delete hooks."""
from __future__ import annotations

import collections
from typing import Any, TypeVar

from chainer_fast import backend, link_hook
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.link_hook import LinkHook
from chainer_fast.serializer import AbstractSerializer, Deserializer
from chainer_fast.variable import Parameter

_Hooked = TypeVar('_Hooked', bound='Hooked')


class Hooked:
    """Base of links that adds hooks to a single link.

    A hook may add parameters and persistent values to its link once the shapes are
    known, at the first call. A file may be loaded before that. Hooks of this package
    then add them uninitialized (:meth:`_expect_values`), and the link keeps the file's
    values for other hooks until those add them.
    """

    _local_link_hooks = None
    # Names of the values that hooks add; a file written before that lacks them.
    _late: frozenset[str] = frozenset()
    # Values of a file that the link does not have, by name.
    _awaited: Any = None

    def _expect_values(self):
        """Let the hooks add their missing values, so that these can be loaded."""
        for hook in (self._local_link_hooks or {}).values():
            hook._expect(self)

    def _serialize_late(self, serializer: AbstractSerializer, name, value):
        """Save or load a value of a hook, which the link or the file may lack."""
        if value is not None:
            return serializer(name, value)
        if not isinstance(serializer, Deserializer):
            return None
        try:
            return serializer(name, None)
        except KeyError:
            return None

    def _await_values(self, deserializer, known):
        """Keep the values of a file under unknown names until hooks add them."""
        find_names = getattr(deserializer, '_names', None)
        if find_names is None:      # a deserializer of the user's own class
            return
        found = {name: deserializer(name, None)
                 for name in find_names() if name not in known}
        self._awaited = {
            name: value for name, value in found.items() if value is not None} or None

    def _take_awaited(self, name, value):
        """Return a new value of the link, filled with the kept value for it, if any."""
        if not self._awaited or name not in self._awaited:
            return value
        loaded = self._awaited[name]
        # A copy of the link may need the same value.
        self._awaited = {
            other: each for other, each in self._awaited.items() if other != name}
        if isinstance(value, Parameter):
            if value.array is None:
                value.initialize(loaded.shape)
            backend.copyto(value.data, loaded)
        elif isinstance(value, get_array_types()):
            backend.copyto(value, loaded)
        else:
            return self._sent(loaded) if value is None else type(value)(loaded)
        return value

    def _sent(self, value):
        """Return a loaded array on the device of the link."""
        device: Any = self.device    # type: ignore[attr-defined]
        return device.send(value) if isinstance(value, get_array_types()) else value

    @property
    def local_link_hooks(self) -> dict[str, LinkHook]:
        """Hooks of this link, by name, in the order in which they were added."""
        hooks = self._local_link_hooks
        if hooks is None:
            hooks = self._local_link_hooks = collections.OrderedDict()
        return hooks

    @property
    def _n_local_link_hooks(self):
        return len(self._local_link_hooks or ())

    def add_hook(
            self: _Hooked, hook: LinkHook, name: str | None = None) -> _Hooked:
        """Make a hook apply to this link.

        Parameters
        ----------
        hook : chainer_fast.LinkHook
            The hook.
        name : str or None
            Name to register it under. None means ``hook.name``.

        Returns
        -------
        Link
            The link itself.

        Raises
        ------
        TypeError
            If ``hook`` is not a link hook.
        KeyError
            If the link has a hook of that name.
        """
        if not isinstance(hook, link_hook.LinkHook):
            raise TypeError('a hook must be a LinkHook, not %s' % type(hook))
        if name is None:
            name = hook.name
        if name in self.local_link_hooks:
            raise KeyError('the link already has a hook named %r' % (name,))
        self.local_link_hooks[name] = hook
        hook.added(self)  # type: ignore[arg-type]
        return self

    def delete_hook(self, name: str) -> None:
        """Remove a hook of this link.

        Parameters
        ----------
        name : str
            Name that the hook was added under.

        Raises
        ------
        KeyError
            If the link has no hook of that name.
        """
        hooks = self.local_link_hooks
        if name not in hooks:
            raise KeyError('the link has no hook named %r' % (name,))
        hooks[name].deleted(self)  # type: ignore[arg-type]
        del hooks[name]
