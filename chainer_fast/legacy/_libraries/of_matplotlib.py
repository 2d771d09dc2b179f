"""Positional arguments of matplotlib that are now keyword-only."""
import functools
import inspect

from chainer_fast._help.past.removed._matplotlib import BY_POSITION
from chainer_fast.legacy import _frames, _report
from chainer_fast.legacy._python import callers
from chainer_fast.legacy._python.arrivals import when_imported

WHAT = 'arguments of matplotlib by position'
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY,
               inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _by_position(function, names):
    """Wrap a function, so that keyword-only arguments can be passed by position."""
    parameters = inspect.signature(function).parameters
    places = [name for name, parameter in parameters.items()
              if parameter.kind in _POSITIONAL]
    if names[0] in places:      # an earlier release
        return function
    count = len(places)

    @functools.wraps(function)
    def call(*args, **kwargs):
        behind = dict(zip(names, args[count:], strict=False))
        if not behind or len(args) > count + len(names) or (
                behind.keys() & kwargs.keys()) or not callers.wants_old_names(
                    _frames.caller(ignored=('matplotlib',))):
            return function(*args, **kwargs)
        _report.adapted(WHAT)
        return function(*args[:count], **kwargs, **behind)
    return call


def _of_module(patches, functions, module):
    for path, names in functions:
        owner = module
        *classes, name = path
        for part in classes:
            owner = vars(owner).get(part)
            if owner is None:
                break
        if owner is not None and name in vars(owner):
            patches.set(owner, name, _by_position(vars(owner)[name], names.split()))


def install(patches):
    """Let functions and classes accept them in the order of matplotlib 3.1."""
    modules: dict[str, list] = {}
    for full_name, names in BY_POSITION.items():
        parts = full_name.split('.')
        size = 3 if full_name.startswith('matplotlib.projections.') else 2
        modules.setdefault('.'.join(parts[:size]), []).append((parts[size:], names))
    for module, functions in modules.items():
        when_imported(patches, module, functools.partial(
            _of_module, patches, functions))
