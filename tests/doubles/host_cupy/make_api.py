"""Write the names and parameters of an installed CuPy to a JSON file.

Run with a Python that has the CuPy in question, e.g. once with cupy-cuda12x 13.6.0 and
once with 14.2.0; no driver is needed (nor, with ``-I``, a module beside this file
instead of one of Python's)::

    python -I tests/doubles/host_cupy/make_api.py build/api-14.2.json

``make_names.py`` makes ``names.txt`` of these files.

For each module and class the file maps public names to

- the parameters of a function, class or method, e.g. ``"a, axis=, *, dtype="``, where
  ``=`` marks what may be left out. They come from ``inspect.signature`` and, for
  members written in Cython, from the signature that Cython embeds in their docstrings;
- ``"..."`` where neither is there: any arguments;
- for a ufunc, ``{"types": ["ff->f", ...]}`` in CuPy's order, with the other methods
  of the ufunc that CuPy implements;
- ``null`` for everything that cannot be called.
"""
import contextlib
import importlib
import inspect
import io
import json
import re
import sys
import tokenize
import types
import warnings

MODULES = [
    'cupy', 'cupy.cuda', 'cupy.cuda.cublas', 'cupy.cuda.driver', 'cupy.cuda.memory',
    'cupy.cuda.memory_hooks', 'cupy.cuda.nvtx', 'cupy.cuda.pinned_memory',
    'cupy.cuda.profiler', 'cupy.cuda.runtime', 'cupy.cuda.stream', 'cupy.cublas',
    'cupy.exceptions', 'cupy.fft', 'cupy.lib.stride_tricks', 'cupy.linalg',
    'cupy.random', 'cupy.testing', 'cupy.testing._random', 'cupyx', 'cupyx.scipy',
    'cupyx.scipy.linalg', 'cupyx.scipy.special', 'cupyx.profiler']
CLASSES = [
    'cupy.ndarray', 'cupy.cuda.Stream', 'cupy.cuda.ExternalStream', 'cupy.cuda.Event',
    'cupy.cuda.MemoryPool', 'cupy.cuda.MemoryHook', 'cupy.cuda.PinnedMemoryPool',
    'cupy.random.RandomState']


def parameters_of_signature(signature):
    parts, keyword_only = [], False
    for p in signature.parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            parts.append('*' + p.name)
            keyword_only = True
        elif p.kind is p.VAR_KEYWORD:
            parts.append('**' + p.name)
        else:
            if p.kind is p.KEYWORD_ONLY and not keyword_only:
                parts.append('*')
                keyword_only = True
            parts.append(p.name + ('' if p.default is p.empty else '='))
    return ', '.join(parts)


def parameters_of_docstring(name, doc):
    """Read ``name(type a, b=None)``, the first line of Cython's docstrings."""
    match = re.match(r'(?:\w+\.)*(\w+)\(', doc or '')
    if not match or match[1] not in (name, '__init__'):
        return None
    tokens = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(doc[match.end():]).readline):
            tokens.append(token.string)
    except (tokenize.TokenError, SyntaxError, IndentationError):
        pass
    parts, part, depth = [], [], 0
    for token in tokens:
        if token in ('(', '[', '{'):
            depth += 1
        elif token in (')', ']', '}'):
            depth -= 1
        if depth < 0 or (token == ',' and depth == 0):
            if part:
                parts.append(part)
            part = []
            if depth < 0:
                break
        else:
            part.append(token)
    else:
        return None
    texts = []
    for part in parts:
        stars = ''.join(t for t in part if t in ('*', '**'))
        part = [t for t in part if t not in ('*', '**')]
        if '=' in part:
            texts.append(part[part.index('=') - 1] + '=')
        else:
            before = part[:part.index(':')] if ':' in part else part
            texts.append(stars + (before[-1] if before else ''))
    if texts and texts[0] == 'self':
        del texts[0]
    return ', '.join(texts)


def describe(name, value, method=False):
    if type(value).__name__ == 'ufunc':
        return {'types': value.types, 'nin': value.nin, 'nout': value.nout}
    if isinstance(value, types.ModuleType) or not callable(value):
        return None
    text = None
    with contextlib.suppress(TypeError, ValueError):
        text = parameters_of_signature(inspect.signature(value))
    if text is None:
        text = parameters_of_docstring(name, inspect.getdoc(value))
    if text is None:
        return '...'
    if method and text.split(', ')[0] == 'self':
        text = ', '.join(text.split(', ')[1:])
    return text


def members(owner, method=False):
    found = {}
    for name in sorted(dir(owner)):
        if name.startswith('_') and not (name.startswith('__') and method):
            continue
        with contextlib.suppress(Exception):
            found[name] = describe(name, getattr(owner, name), method)
    return found


def main(path):
    warnings.simplefilter('ignore')
    cupy = importlib.import_module('cupy')
    modules, classes = {}, {}
    for name in MODULES:
        with contextlib.suppress(ImportError):
            modules[name] = members(importlib.import_module(name))
    for name in CLASSES:
        module, _, attribute = name.rpartition('.')
        owner = getattr(importlib.import_module(module), attribute)
        # What every object has says nothing.
        classes[name] = {
            key: value for key, value in members(owner, method=True).items()
            if key not in dir(object)}
    with open(path, 'w') as f:
        json.dump({'version': cupy.__version__, 'modules': modules,
                   'classes': classes}, f, indent=0, sort_keys=True)
        f.write('\n')


if __name__ == '__main__':
    main(sys.argv[1])
