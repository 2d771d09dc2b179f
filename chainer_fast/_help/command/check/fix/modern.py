"""Sources of Python 2 as sources of Python 3, beyond the syntax."""
from chainer_fast._help.past.python2 import fixers

# Fixers that look at files beside the source, or make nothing but another style.
_UNWANTED = {'print', 'exec', 'import', 'idioms', 'ws_comma', 'set_literal', 'buffer',
             'asserts', 'future', 'isinstance'}
# Fixers for what compiles and stops when it runs.
_NAMES = {
    **{'dict.' + name: 'dict' for name in (
        'iteritems', 'iterkeys', 'itervalues', 'viewitems', 'viewkeys', 'viewvalues')},
    'dict.has_key': 'has_key', 'iterator.next': 'next',
    'builtins.execfile': 'execfile', 'builtins.apply': 'apply'}


def modernized(text):
    """Return as one of Python 3 a source that has the syntax of Python 3 already."""
    return fixers.run(text, fixers.names() - _UNWANTED, True)


def names_modernized(text, found):
    """Return a source without the names and methods of Python 2 that were found in it.

    ``found`` are names of entries; those that other fixes are for are left alone.
    """
    names = frozenset(_NAMES[what] for what in found if what in _NAMES)
    return fixers.run(text, names, True) if names else text
