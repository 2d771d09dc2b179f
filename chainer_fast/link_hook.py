"""Hooks that run before and after the forward computation of links."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from chainer_fast._core.configuration.state import get_link_hooks as _get_link_hooks

if TYPE_CHECKING:
    from chainer_fast.link import Link


class _ForwardPreprocessCallbackArgs:
    """Arguments of a hook before a forward computation.

    Attributes
    ----------
    link : chainer_fast.Link
        The link that is called.
    forward_name : str
        Name of the method that computes, ``'forward'``.
    args : tuple
        Positional arguments of the call.
    kwargs : dict
        Keyword arguments of the call.
    """

    def __init__(
            self, link: Link, forward_name: str, args: tuple[Any, ...],
            kwargs: dict[Any, Any]) -> None:
        self.link, self.forward_name = link, forward_name
        self.args, self.kwargs = args, kwargs

    def __repr__(self) -> str:
        cls = type(self)
        return '<%s.%s %s>' % (cls.__module__, cls.__name__, ' '.join(
            '%s=%s' % item for item in vars(self).items()))


class _ForwardPostprocessCallbackArgs(_ForwardPreprocessCallbackArgs):
    """Arguments of a hook after a forward computation.

    Attributes
    ----------
    out
        Result of the computation. The other attributes are as before it.
    """

    def __init__(
            self, link: Link, forward_name: str, args: tuple[Any, ...],
            kwargs: dict[Any, Any], out) -> None:
        super().__init__(link, forward_name, args, kwargs)
        self.out = out


_Hook = TypeVar('_Hook', bound='LinkHook')


class LinkHook:
    """Base class of link hooks.

    A hook is called before and after the forward computation of links. In a ``with``
    statement it applies to every link that the thread calls inside the block;
    :meth:`chainer_fast.Link.add_hook` makes it apply to one link only.

    Attributes
    ----------
    name : str
        Name of the hook. Only one hook of a name can be active at a time. A hook of the
        link itself takes precedence over a hook of the thread.

    Raises
    ------
    KeyError
        In a ``with`` statement, if the thread already has a hook of that name.

    See Also
    --------
    chainer_fast.link_hooks

    Examples
    --------
    >>> class Names(chainer.LinkHook):
    ...     name = 'Names'
    ...     def forward_postprocess(self, args):
    ...         print(type(args.link).__name__, args.out.shape)
    >>> model = chainer.Sequential(L.Linear(3, 4), L.Linear(4, 2))
    >>> with Names():
    ...     y = model(np.ones((1, 3), np.float32))
    Linear (1, 4)
    Linear (1, 2)
    Sequential (1, 2)
    """

    name = 'LinkHook'

    def __enter__(self: _Hook) -> _Hook:
        hooks = _get_link_hooks()
        if self.name in hooks:
            raise KeyError(
                'a link hook named %r is already active in this thread' % (self.name,))
        hooks[self.name] = self
        self.added(None)
        return self

    def __exit__(self, *exc_info: object) -> None:
        hooks = _get_link_hooks()
        hooks[self.name].deleted(None)
        del hooks[self.name]

    def added(self, link: Link | None) -> None:
        """Called when the hook is registered.

        Parameters
        ----------
        link : chainer_fast.Link or None
            The link that the hook was added to; None if it applies to all links.
        """

    def deleted(self, link: Link | None) -> None:
        """Called before the hook is unregistered.

        Parameters
        ----------
        link : chainer_fast.Link or None
            As for :meth:`added`.
        """

    def forward_preprocess(self, args: Any) -> None:
        """Called before the forward computation of a link.

        Parameters
        ----------
        args
            An object with the attributes ``link``, ``forward_name``, ``args`` and
            ``kwargs``.
        """

    def forward_postprocess(self, args: Any) -> None:
        """Called after the forward computation of a link, unless it raised.

        Parameters
        ----------
        args
            An object with the attributes that :meth:`forward_preprocess` gets, and
            ``out``, the result.
        """

    def _expect(self, link):
        """Add to a link, before it is loaded, what the hook has not added yet.

        A file may lack these values. Loaded values are not initialized again at the
        first call.
        """

    def _initialize_values(self, link):
        """Reset what the hook has added to a link to the values of a new link."""

    def _forward_failed(self, args):
        """Called instead of :meth:`forward_postprocess` if the computation raised."""


def _call(link, forward, args, kwargs):
    """Run the forward computation of a link and the hooks that apply to it."""
    # The link's own hooks replace the thread's hooks of the same name.
    hooks = list({**_get_link_hooks(), **link.local_link_hooks}.values())

    before = _ForwardPreprocessCallbackArgs(link, 'forward', args, kwargs)
    begun = []
    try:
        for hook in hooks:
            hook.forward_preprocess(before)
            begun.append(hook)
        out = forward(*args, **kwargs)
    except BaseException:
        for hook in reversed(begun):
            hook._forward_failed(before)
        raise

    after = _ForwardPostprocessCallbackArgs(link, 'forward', args, kwargs, out)
    for hook in hooks:
        hook.forward_postprocess(after)
    return out
