"""The context in which values assigned to attributes of a link are registered."""
from __future__ import annotations

from typing import Any


class InitScope:
    """Context of :meth:`chainer_fast.Link.init_scope`."""

    def __init__(self, link: Any) -> None:
        self._link = link
        self._outside = False

    def __enter__(self) -> None:
        self._outside = self._link._within_init_scope
        self._link.__dict__['_within_init_scope'] = True

    def __exit__(self, *exc_info: object) -> None:
        self._link.__dict__['_within_init_scope'] = self._outside
