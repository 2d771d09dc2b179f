"""Report where in a model an exception was raised.

If a call of a link raises an exception, the path of that link in the outermost link
called is added to the exception. This code runs only after a failure.
"""
from __future__ import annotations

import collections
import collections.abc
import contextlib

from chainer_fast._help import mistakes
from chainer_fast.utils import _foreign, _type_advice


def note(link, error, args):
    """Note in an exception where it was raised; called by each link, innermost first.

    Parameters
    ----------
    link : chainer_fast.Link
        The link whose call fails.
    error : Exception
        Exception that its ``forward`` raised.
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
    # Only the id of the link: an exception may outlive the link or be pickled.
    error._place = (id(link), path, name, new)
    mistakes.tell(error, new, old)
    if words is not None:
        mistakes.tell(error, words)
    if cure is not None:
        _type_advice.replace_cure(error, cure)


def words_on_forward(link, error):
    """Return advice on a link without a method ``forward``, or None."""
    if not isinstance(error, AttributeError) or not str(error).endswith(
            "'%s' object has no attribute 'forward'" % type(link).__name__):
        return None
    found = mistakes.nearest('forward', [
        name for kind in type(link).__mro__ for name in vars(kind)
        if not kind.__module__.startswith('chainer_fast.')])
    if found is not None:
        return 'Its method %r is probably meant: a call computes forward()' % found
    if isinstance(link, collections.abc.MutableSequence):
        return ('A ChainList does not compute anything: define forward() in a '
                'subclass, or use chainer.Sequential, which calls its links one after '
                'the other')
    return 'A call computes forward(): define this method in the class'


def _words_on_arguments(error, args):
    """Return advice on arguments that are not arrays or on NumPy ufuncs, or None."""
    if not isinstance(error, (AttributeError, TypeError)):
        return None
    words = _foreign.of_ufunc(str(error))
    if words is None and 'incompatible array types' not in str(error):
        # Many links accept None as an argument; it is an error only where it is used.
        words = next(filter(None, [_foreign.cure(x) for x in args if (
            x is not None or 'NoneType' in str(error))]), None)
    return words


def _path(root, wanted):
    """Return the path from a link to the link with a given ``id``, or None."""
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
    """Yield the links within a link, registered or not, with their paths."""
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
