"""Records of what legacy mode has adapted, where, and how often."""
import collections
import contextlib
import inspect
import os
import threading

from chainer_fast._help.past import removed
from chainer_fast.legacy import _frames
from chainer_fast.legacy._of_today import is_of_today

# Number of uses of each entry at each line: {what: {(file, line): times}}.
_uses = collections.defaultdict(collections.Counter)


def clear():
    """Delete all records."""
    _uses.clear()


def adapted(what):
    """Count a use at the innermost running line that can be rewritten.

    This is a line of the program, or of a library that is not current.

    Parameters
    ----------
    what : str
        Name of an entry of ``chainer_fast._help.past.removed``.
    """
    frame = innermost = _frames.caller()
    while is_of_today(frame.f_globals.get('__name__')):
        frame = frame.f_back
        if frame is None:
            frame = innermost
            break
    _uses[what][frame.f_code.co_filename, frame.f_lineno] += 1


def adapted_at(what, file, line):
    """Count a use at a given line."""
    _uses[what][file, line] += 1
    recorded = getattr(_recorded, 'uses', None)
    if recorded is not None:
        recorded.append((what, file, line))


_recorded = threading.local()


@contextlib.contextmanager
def recorded():
    """Return a context that yields a list of the uses counted at lines in it."""
    outer = getattr(_recorded, 'uses', None)
    _recorded.uses = uses = []
    try:
        yield uses
    finally:
        _recorded.uses = outer


def adapted_in(what, function):
    """Count a use in the definition of a function of the program."""
    code = function.__code__
    adapted_at(what, code.co_filename, code.co_firstlineno)


def adapted_at_class(what, cls, text='class '):
    """Count a use at the first line of the source of a class that contains a text.

    Parameters
    ----------
    what : str
        Name of an entry of ``chainer_fast._help.past.removed``.
    cls : type
        Class of the program. If its source is not available, the running line is used.
    text : str
    """
    try:
        lines, first = inspect.getsourcelines(cls)
    except (OSError, TypeError):
        adapted(what)
        return
    for number, line in enumerate(lines, first):
        if text in line.partition('#')[0]:
            adapted_at(what, inspect.getsourcefile(cls), number)
            return
    adapted(what)


def uses():
    """Return ``{what: {(file, line): times}}``, a copy."""
    return {what: dict(places) for what, places in _uses.items()}


def _times(number):
    return 'once' if number == 1 else f'{number:,} times'


def _path(name):
    """Return the path of a file as a user would type it."""
    inside = os.path.relpath(name) if os.path.isabs(name) else name
    return name if inside.startswith(os.pardir) else inside


def _of_program():
    """Return the uses in the program's own files, and other uses by package."""
    own, others = collections.defaultdict(dict), collections.Counter()
    for what, found in _uses.items():
        for (name, line), number in found.items():
            package = _frames.package_of(name)
            if package is None:
                own[what][name, line] = number
            else:
                others[package] += number
    return own, others


def text():
    """Return the report of uses in the program's own files, line by line."""
    if not _uses:
        return 'legacy mode: nothing had to be adapted'
    own, others = _of_program()
    lines = ['legacy mode: nothing had to be adapted in the program itself']
    if own:
        places = sum(map(len, own.values()))
        lines = ['legacy mode adapted %d %s at %d %s:' % (
            len(own), 'idiom' if len(own) == 1 else 'idioms',
            places, 'place' if places == 1 else 'places')]
    known = removed.entries()
    for what in sorted(own):
        entry = known[what]
        lines.append('  %s (last in %s): %s' % (what, entry.last, entry.instead))
        lines.extend('      %s:%d  %s' % (_path(name), line, _times(number))
                     for (name, line), number in sorted(own[what].items()))
    if others:
        lines.append('  in installed packages, which are not the program\'s: %s' % (
            ', '.join('%s %s' % (package, _times(number))
                      for package, number in sorted(others.items()))))
    return '\n'.join(lines)
