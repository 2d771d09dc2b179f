"""Warnings of mistyped keys of reports."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from chainer_fast._help import mistakes


def warn_of_letters(extension: Any, keys: Any) -> None:
    """Warn, once for each string, if the keys are a string instead of a list.

    As in Chainer, each character of the string is then a key.

    Parameters
    ----------
    extension : Extension
        The extension with the keys.
    keys : object
        Its argument.
    """
    if isinstance(keys, str):
        kind = type(extension).__name__
        mistakes.warn_once((type(extension), keys), (
            '%s: each character of %r is treated as a key; for one key, pass a list: '
            '%s([%r])' % (kind, keys, kind, keys)))


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
