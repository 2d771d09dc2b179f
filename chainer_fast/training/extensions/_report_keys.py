"""Warnings of mistyped keys of reports."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from chainer_fast._help import mistakes


def check(extension: Any, wanted: Iterable[str], known: Iterable[str]) -> None:
    """Warn, once for each key, of keys that look like misspellings of reported keys.

    A key that resembles none may be reported later, so that there is no warning.

    Parameters
    ----------
    extension : Extension
        The extension with the keys.
    wanted : iterable of str
        The keys.
    known : iterable of str
        The keys that have been reported so far.
    """
    wanted, known = list(wanted), list(known)
    for key in wanted:
        if key in known:
            continue
        near = mistakes.nearest(key, known) or next(
            (each for each in known if each.endswith('/' + key)), None)
        if near is not None and near not in wanted:
            mistakes.warn_once((type(extension), key), (
                '%s: nothing is reported as %r; did you mean %r?' % (
                    type(extension).__name__, key, near)))
