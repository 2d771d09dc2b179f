"""Methods of links that add and delete hooks."""
from __future__ import annotations

import collections
import typing as tp

from chainer_fast import link_hook
from chainer_fast.link_hook import LinkHook

if tp.TYPE_CHECKING:
    pass


_Hooked = tp.TypeVar('_Hooked', bound='Hooked')


class Hooked:
    """Base of links: hooks can be added to one link alone."""

    _local_link_hooks = None

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
            Name to register it under; None stands for ``hook.name``.

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
            raise TypeError('a hook has to be a LinkHook, not %s' % type(hook))
        if name is None:
            name = hook.name
        if name in self.local_link_hooks:
            raise KeyError('the link has a hook named %r already' % name)
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
            raise KeyError('the link has no hook named %r' % name)
        hooks[name].deleted(self)  # type: ignore[arg-type]
        del hooks[name]
