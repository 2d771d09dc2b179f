"""Parts of errors for names and arguments that no longer exist.

Nothing here runs or is imported before an error occurs.
"""
import opcode
import re
import sys

from chainer_fast._help import pytorch
from chainer_fast._help.past import removed

# Names of modules here, and their names in the entries; longer names first.
_PUBLIC = (
    ('chainer_fast.mn', 'chainermn'), ('chainer_fast.onnx', 'onnx_chainer'),
    ('chainer_fast.backends.cuda', 'chainer.cuda'),
    ('chainer.backends.cuda', 'chainer.cuda'), ('chainer_fast', 'chainer'))
_UNEXPECTED = re.compile(
    r"(?:(\w+)\.)?(\w+)\(\) got (?:an )?unexpected keyword argument(?:\(s\))? '(\w+)'")


def _public(module):
    for here, public in _PUBLIC:
        if module == here or module.startswith(here + '.'):
            return public + module[len(here):]
    return module


def _shown(module):
    """Return the name of a module in the program."""
    for here, public in _PUBLIC:
        name = public + module[len(here):]
        if (module == here or module.startswith(here + '.')) and '.' not in public and (
                sys.modules.get(name) is sys.modules[module]):
            return name
    return module


def of(what):
    """Return what replaced a name, as text to follow a comma, or None."""
    entry = removed.entries().get(what)
    return None if entry is None else 'which %s had: %s' % (entry.last, entry.instead)


def missing_name(module, name, caller):
    """Return the error for a name that a module lacks.

    The error for a removed name suggests no similar names, and ``from module
    import name`` in the frame ``caller`` shows it as well.
    """
    owner = _public(module)
    words = of('%s.%s' % (owner, name)) or pytorch.words(owner, name)
    path = sys.modules[module].__file__
    module, real = _shown(module), module
    plain = 'module %r has no attribute %r' % (module, name)
    code = caller.f_code.co_code
    if code[caller.f_lasti] == opcode.opmap['IMPORT_FROM'] and (
            '%s.%s' % (real, name) not in sys.modules):
        # Python replaces the message of an AttributeError.
        return ImportError('cannot import name %r from %r%s' % (
            name, module, ' (%s)' % path if words is None else ', ' + words),
            name=real, path=path)
    if words is None:
        return AttributeError(plain, name=name, obj=sys.modules[real])
    return AttributeError('%s, %s' % (plain, words), name=name)


def missing_attribute(cls, owner, name):
    """Return the error of objects of a class for an attribute that ``owner`` had."""
    return AttributeError('%r object has no attribute %r, %s' % (
        cls.__name__, name, of_attribute(owner, name)), name=name)


def of_attribute(owner, name):
    """Return what replaced an attribute, or the counterpart of PyTorch's."""
    owner = 'chainer.' + owner
    return of('%s.%s' % (owner, name)) or pytorch.words(owner, name)


# Arguments that had the same meaning everywhere.
_EVERYWHERE = ('deterministic', 'test', 'train', 'use_cudnn', 'volatile', 'wscale')


def argument(functions, name):
    """Return what replaced an argument, or None.

    Parameters
    ----------
    functions : list of str
        Last parts of the names of what was called: ``relu``,
        ``Linear.__init__``, ``Link.__init__``.
    name : str
        Name of the argument.
    """
    known = removed.entries()
    ending = '(%s=)' % name
    entries = [known[what] for what in known if what.endswith(ending)]
    for function in functions:
        for method in '.__init__', '.forward':
            function = function.removesuffix(method)
        endings = ('.%s%s' % (function, ending), '.%s.__call__%s' % (function, ending))
        for entry in entries:
            if entry.what.endswith(endings):
                return '%s had %s: %s' % (entry.last, name, entry.instead)
    if name in _EVERYWHERE and entries:
        return '%s had %s: %s' % (entries[0].last, name, entries[0].instead)
    return None


def of_error(error):
    """Return advice on an old argument that a TypeError reports."""
    found = _UNEXPECTED.match(str(error))
    if found is None:
        return None
    owner, function, name = found.groups()
    return argument(['%s.%s' % (owner, function) if owner else function], name)
