"""Where in a model an exception was raised.

An exception that leaves the call of a link is told the link's path in the outermost
link that was called. All of it happens after a failure.
"""
from __future__ import annotations

import collections
import collections.abc
import contextlib

from chainer_fast._help import mistakes
from chainer_fast.utils import _foreign, _type_advice


def note(link, error, args):
    """Add to an exception where it was raised; links call it from the inside outward.

    Parameters
    ----------
    link : chainer_fast.Link
        The link whose call fails.
    error : Exception
        What its ``forward`` raised.
    args : tuple
        Positional arguments of the call.
    """
    inner, path, name, old = getattr(error, '_place', (None, '', '', None))
    cure = None
    # An explanation that fails itself must not hide the error.
    with contextlib.suppress(Exception):
        cure = link._words_on_error(error, args)
    if inner is None:
        name = type(link).__name__
        words = _words_on_arguments(error, args)
    elif inner == id(link):
        return
    else:
        step = _path(link, inner)
        if step is None:
            return
        path, words = step + path, None
    new = 'In the link: %s%s' % (
        type(link).__name__, '%s (%s)' % (path, name) if path else '')
    # Of the link only the number, as an exception may outlive it or be pickled.
    error._place = (id(link), path, name, new)
    mistakes.tell(error, new, old)
    if words is not None:
        mistakes.tell(error, words)
    if cure is not None:
        _type_advice.replace_cure(error, cure)


def _words_on_arguments(error, args):
    """Return the cure for what is not an array, or for a ufunc of NumPy; or None."""
    if not isinstance(error, (AttributeError, TypeError)):
        return None
    words = _foreign.of_ufunc(str(error))
    if words is None and 'incompatible array types' not in str(error):
        # None is an argument of many links, and a mistake where it is used.
        words = next(filter(None, [_foreign.cure(x) for x in args if (
            x is not None or 'NoneType' in str(error))]), None)
    return words


def _path(root, wanted):
    """Return the way to the link of an ``id`` below another link, or None."""
    seen, queue = {id(root)}, collections.deque([('', root)])
    while queue:
        path, link = queue.popleft()
        for step, child in _steps(link):
            if id(child) == wanted:
                return path + step
            if id(child) not in seen:
                seen.add(id(child))
                queue.append((path + step, child))
    return None


def _steps(link):
    """Yield the links within a link, registered or not, with how to get to them."""
    if isinstance(link, collections.abc.Sequence):
        values = [('[%d]' % i, value) for i, value in enumerate(link)]
    else:
        values = []
    for name, value in list(vars(link).items()):
        if not name.startswith('_'):
            values.append(('.' + name, value))
            if isinstance(value, (list, tuple)):
                values += [('.%s[%d]' % (name, i), each)
                           for i, each in enumerate(value)]
    return [(step, value) for step, value in values if hasattr(value, 'namedlinks')]
