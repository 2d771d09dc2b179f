"""What a CUDA graph uses beside the memory of its arrays, and must not outlive.

A graph has the addresses of what was launched while it was captured, and keeps nothing.
Whoever owns any of it, such as a plan of cuDNN whose kernels were compiled for it,
hands it to :func:`keep`.
"""
from __future__ import annotations

import contextlib
import threading
import typing as tp


class _Thread(threading.local):
    kept: list[tp.Any] | None = None


_thread = _Thread()


@contextlib.contextmanager
def keeping(kept: list[tp.Any]) -> tp.Iterator[None]:
    """Append to a list what a graph uses that the thread captures meanwhile."""
    before, _thread.kept = _thread.kept, kept
    try:
        yield
    finally:
        _thread.kept = before


def is_capturing() -> bool:
    """Return whether the thread captures a graph."""
    return _thread.kept is not None


def keep(*objects: tp.Any) -> None:
    """Keep objects as long as the graph that the thread captures, if it does."""
    if _thread.kept is not None:
        _thread.kept.extend(objects)
