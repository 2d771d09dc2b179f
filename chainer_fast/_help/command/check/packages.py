"""The API of the installed packages: names, and the parameters of callables."""
import functools
import importlib
import inspect
import types
import warnings

from chainer_fast._help import mistakes

#: Packages that are inspected, and the modules that replace them here.
ROOTS = {'chainer': 'chainer_fast', 'chainermn': 'chainer_fast.mn',
         'onnx_chainer': 'chainer_fast.onnx', 'numpy': 'numpy', 'scipy': 'scipy',
         'matplotlib': 'matplotlib', 'pandas': 'pandas'}

MISSING = object()
UNKNOWN = object()

# Users refer to one object by several names.
_SAME = (
    ('chainer.function_set.FunctionSet', 'chainer.FunctionSet'),
    ('chainer.cuda.cupy', 'cupy'), ('chainer.backends.cuda.cupy', 'cupy'),
    ('chainer_fast.mn', 'chainermn'), ('chainer_fast.onnx', 'onnx_chainer'),
    ('chainer_fast', 'chainer'), ('matplotlib.pyplot.cm', 'matplotlib.cm'),
    ('matplotlib.pyplot.style', 'matplotlib.style'))


@functools.cache
def usual(name):
    """Return the name of an object in Chainer's manual."""
    for spelled, other in _SAME:
        if name == spelled or name.startswith(spelled + '.'):
            return other + name[len(spelled):]
    return name


# Their names depend on the devices of the machine.
_OF_DEVICES = {'chainer_fast.backends.cuda', 'chainer_fast.mn.nccl'}


def _member(owner, name):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            return getattr(owner, name)
        except AttributeError:
            pass
        except Exception:
            return UNKNOWN
        if not isinstance(owner, types.ModuleType):
            return MISSING if isinstance(owner, type) else UNKNOWN
        if not hasattr(owner, '__path__'):
            return MISSING
        full = '%s.%s' % (owner.__name__, name)
        try:
            return importlib.import_module(full)
        except ModuleNotFoundError as error:
            return MISSING if error.name == full else UNKNOWN
        except Exception:
            return UNKNOWN


@functools.cache
def find(name):
    """Return the object with a full name, ``MISSING`` or ``UNKNOWN``.

    Names are looked up in modules and classes; attributes of objects are unknown.
    """
    root, *parts = name.split('.')
    if root not in ROOTS:
        return UNKNOWN
    try:
        found = importlib.import_module(ROOTS[root])
    except Exception:
        return UNKNOWN      # one of its optional dependencies is missing
    for part in parts:
        if not isinstance(found, (type, types.ModuleType)):
            return UNKNOWN
        home = getattr(found, '__module__', None) or found.__name__
        found = _member(found, part)
        if found is MISSING and (part.startswith('_') or home in _OF_DEVICES):
            return UNKNOWN
        if found is MISSING or found is UNKNOWN:
            return found
    return found


def missing_name(name):
    """Return advice on a full name that does not exist."""
    owner, _, last = name.rpartition('.')
    root = name.partition('.')[0]
    question = is_there(owner) and mistakes.did_you_mean(
        last, [other for other in dir(find(owner)) if not other.startswith('_')])
    return '%s has no such name%s' % (
        ROOTS[root].partition('.')[0], '; ' + question if question else '')


def is_there(name):
    """Return whether a full name is known to exist."""
    return find(name) is not MISSING and find(name) is not UNKNOWN


@functools.cache
def _signature(function):
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def parameters(found, skip=0):
    """Return the parameters of a callable as a list; None if they are not known.

    ``skip`` is the number of leading parameters that a call does not pass, such as
    self.
    """
    if not callable(found) or getattr(found, '__module__', '') in _OF_DEVICES:
        return None
    signature = _signature(found)
    return None if signature is None else list(signature.parameters.values())[skip:]


def takes(given, keyword):
    """Return whether parameters accept a keyword."""
    return any(
        p.kind is p.VAR_KEYWORD or (
            p.name == keyword and p.kind is not p.POSITIONAL_ONLY) for p in given)


def positional(given):
    """Return the positional parameters, and whether more arguments may follow."""
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    return ([p for p in given if p.kind in kinds],
            any(p.kind is p.VAR_POSITIONAL for p in given))
