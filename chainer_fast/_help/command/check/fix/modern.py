"""Conversion of sources from Python 2 to Python 3, beyond the syntax."""
from chainer_fast._help.past.python2 import fixers

# Fixers that read other files, or change only the style.
_UNWANTED = {'print', 'exec', 'import', 'idioms', 'ws_comma', 'set_literal', 'buffer',
             'asserts', 'future', 'isinstance'}
# Fixers for code that compiles but fails when it runs.
_NAMES = {
    **{'dict.' + name: 'dict' for name in (
        'iteritems', 'iterkeys', 'itervalues', 'viewitems', 'viewkeys', 'viewvalues')},
    'dict.has_key': 'has_key', 'iterator.next': 'next',
    'builtins.execfile': 'execfile', 'builtins.apply': 'apply'}


def modernized(text):
    """Convert a source that already has the syntax of Python 3 to Python 3."""
    return fixers.run(text, fixers.names() - _UNWANTED, True)


def names_modernized(text, found):
    """Return a source with the found names and methods of Python 2 replaced.

    ``found`` are names of entries; entries with other fixes are skipped.
    """
    names = frozenset(_NAMES[what] for what in found if what in _NAMES)
    return fixers.run(text, names, True) if names else text
