"""Calls everything that compiled classes have on objects that are not what they seem.

    python -m tests._core.half_made own          made by ``__new__`` alone
    python -m tests._core.half_made alien        of other classes, by unbound methods
"""
import contextlib
import copy
import faulthandler
import functools
import importlib
import inspect
import io
import operator
import pathlib
import pickle
import sys
import tempfile

import numpy as np

import chainer_fast as chainer
import chainer_fast.chainerx

# What tells other processes, threads or the whole library something for good.
_LEFT_OUT = ('bind', 'set_threads', '_heart', 'work_alone', 'register', 'declare',
             'keep_freed', '_limit_vectors', '_at_exit', '__class__',
             '__init_subclass__', 'changed', 'set_uniform_state', 'start', 'join')
_OPERATORS = [
    getattr(operator, name) for name in (
        'add', 'sub', 'mul', 'truediv', 'floordiv', 'mod', 'pow', 'matmul', 'lt', 'le',
        'eq', 'ne', 'gt', 'ge', 'iadd', 'isub', 'imul', 'itruediv', 'getitem',
        'delitem', 'contains')]
_QUESTIONS = [
    operator.neg, operator.pos, abs, operator.invert, operator.index, bool, int, float,
    len, iter, next, list, hash, repr, str, copy.copy, copy.deepcopy, pickle.dumps,
    dir, vars, np.asarray, lambda x: pickle.loads(pickle.dumps(x))]


@functools.cache     # the walk over files takes longer than a thousand calls
def modules():
    """Return the compiled modules."""
    root = pathlib.Path(chainer.__file__).parent
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    found = []
    for path in sorted(root.rglob('*')):
        if path.name.endswith(suffixes):
            parts = path.relative_to(root).parts
            found.append(importlib.import_module('.'.join(
                ['chainer_fast', *parts[:-1], parts[-1].partition('.')[0]])))
    return found


def classes():
    """Return the compiled classes, and the public ones on top of them."""
    own = [each for module in modules() for each in vars(module).values()
           if isinstance(each, type) and each.__module__ == module.__name__]
    return own + [
        chainer.Variable, chainer.Parameter, chainer.FunctionNode, chainer.Link,
        chainer.chainerx.ndarray, chainer.variable.VariableNode]


def made(cls):
    """Return an object made by ``__new__`` alone, or None if there is none."""
    try:
        return cls.__new__(cls)
    except Exception:
        return None


def _others():
    x = np.ones((2, 3), 'f')
    return [None, 1, 2., 'a', [], (), {}, np.float32(2), x, np.ones(3, 'i'),
            chainer.Variable(x.copy()), chainer.chainerx.ones((2, 3), 'float32'), [x],
            object()]


def _try(call, *args):
    with contextlib.suppress(Exception), contextlib.redirect_stderr(io.StringIO()):
        result = call(*args)
        if not inspect.isgenerator(result):
            repr(result)


def _names(cls):
    return [name for name in dir(cls) if not name.startswith(_LEFT_OUT)]


def own():
    """Yield what to do with objects made by ``__new__`` alone."""
    for cls in classes():
        if made(cls) is None:
            continue
        for name in _names(cls):
            label = '%s.%s' % (cls.__qualname__, name)
            yield label, lambda n=name, c=cls: getattr(made(c), n)
            yield label + ' = None', lambda n=name, c=cls: setattr(made(c), n, None)
            yield 'del ' + label, lambda n=name, c=cls: delattr(made(c), n)
            for n_args in range(4):
                for other in _others():
                    yield '%s(%r)' % (label, [other] * n_args), (
                        lambda n=name, c=cls, args=(other,) * n_args:
                        getattr(made(c), n)(*args))
                yield '%s(itself)' % label, (
                    lambda n=name, c=cls, k=n_args:
                    getattr(made(c), n)(*[made(c) for _ in range(k)]))
        for question in _QUESTIONS:
            yield '%r of %s' % (question, cls.__qualname__), (
                lambda q=question, c=cls: q(made(c)))
        for op in _OPERATORS:
            for other in [*_others(), made(cls)]:
                label = '%r of %s and %r' % (op, cls.__qualname__, type(other))
                yield label, lambda o=op, c=cls, x=other: o(made(c), x)
                yield label, lambda o=op, c=cls, x=other: o(x, made(c))


def alien():
    """Yield calls of methods on objects of other classes."""
    for cls in classes():
        for name in _names(cls):
            method = inspect.getattr_static(cls, name)
            if not callable(method) and not hasattr(method, '__get__'):
                continue
            for other in [*_others(), *map(made, classes()[::7])]:
                label = '%s.%s of a %s' % (cls.__qualname__, name, type(other).__name__)
                for rest in ((), (None,), (other, None), (other, other, other)):
                    yield label, (lambda c=cls, n=name, args=(other, *rest):
                                  getattr(c, n)(*args))
                if hasattr(method, '__get__'):
                    yield label, lambda m=method, x=other: m.__get__(x, type(x))


def main(kind):
    faulthandler.enable()
    np.seterr(all='ignore')
    count = 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder) if hasattr(
            contextlib, 'chdir') else contextlib.nullcontext():
        for label, call in globals()[kind]():
            count += 1
            print(label[:200].replace('\n', ' '), flush=True)
            _try(call)
    print('done', count)


if __name__ == '__main__':
    main(sys.argv[1])
