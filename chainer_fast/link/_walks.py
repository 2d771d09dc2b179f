"""Traversal of the hierarchy below a link."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from chainer_fast.link import Link
    from chainer_fast.variable import Parameter


class Walking:
    """Base of links with lazy traversal: a loop may change links that are yet to come.
    """

    def _named_children(self) -> Iterable[tuple[str, Any]]:
        """Pairs of name and link, in the order of traversal."""
        return ()

    def children(self) -> Iterator[Link]:
        """Yield the child links."""
        for _, child in self._named_children():
            yield child

    def links(self, skipself: bool = False) -> Iterator[Link]:
        """Yield the links of the hierarchy: this one, then those below it.

        Parameters
        ----------
        skipself : bool
            Whether to omit this link.
        """
        if not skipself:
            yield cast('Link', self)
        for _, child in self._named_children():
            yield from child.links()

    def namedlinks(self, skipself: bool = False) -> Iterator[tuple[str, Link]]:
        """Yield the links of the hierarchy with their paths; ``'/'`` is this link.

        Parameters
        ----------
        skipself : bool
            Whether to omit this link.
        """
        if not skipself:
            yield '/', cast('Link', self)
        for name, child in self._named_children():
            yield '/' + name, child
            for path, link in child.namedlinks(True):
                yield '/' + name + path, link

    def namedparams(
            self, include_uninit: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Yield the parameters of the hierarchy with their paths.

        Parameters
        ----------
        include_uninit : bool
            Whether to include parameters that are not initialized.
        """
        for name in sorted(self._params):  # type: ignore[attr-defined]
            param = self.__dict__[name]
            if include_uninit or param.is_initialized:
                yield '/' + name, param
        for name, child in self._named_children():
            for path, param in child.namedparams(include_uninit):
                yield '/' + name + path, param
