"""Removed names of the standard library."""
import base64
import collections
import fractions
import functools
import inspect
import itertools
import json
import operator
import os
import random
import string
import sys
import threading
import time
import types
import urllib
from collections.abc import Callable

from chainer_fast._help.past import removed
from chainer_fast.legacy import _report
from chainer_fast.legacy._python import names
from chainer_fast.legacy._python.arrivals import when_imported

ArgSpec = collections.namedtuple('ArgSpec', 'args varargs keywords defaults')


def _getargspec(function):
    """Return the arguments of a function as four values."""
    full = inspect.getfullargspec(function)
    if full.kwonlyargs or full.annotations:
        raise ValueError('%r has keyword-only arguments or annotations: '
                         'inspect.getfullargspec() knows these' % (function,))
    return ArgSpec(*full[:4])


def _gcd(a, b):
    """Return the greatest common divisor, with the sign of the second number."""
    while b:
        a, b = b, a % b
    return a


def _div(a, b):
    is_whole = isinstance(a, int) and isinstance(b, int)
    return operator.floordiv(a, b) if is_whole else operator.truediv(a, b)


_SPECIAL: dict[types.ModuleType, dict[str, Callable]] = {
    inspect: {'getargspec': lambda: _getargspec},
    fractions: {'gcd': lambda: _gcd},
    time: {'clock': lambda: (
        time.perf_counter if sys.platform == 'win32' else time.process_time)},
    string: {'join': lambda: lambda words, separator=' ': separator.join(words)},
    operator: {'div': lambda: _div},
    sys: {'setdefaultencoding': lambda: lambda name: None},
    **dict.fromkeys((base64, collections, itertools, os, types, urllib), {}),
}


def _without(what, keyword):
    """Return a decorator of functions that no longer accept a keyword argument."""
    def decorate(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            if keyword in kwargs:
                del kwargs[keyword]
                _report.adapted(what)
            return function(*args, **kwargs)
        return call
    return decorate


def _drawing(sample):
    @functools.wraps(sample)
    def call(population, k, **kwargs):
        if isinstance(population, collections.abc.Set):
            population = tuple(population)
            _report.adapted('random.sample of a set')
        return sample(population, k, **kwargs)
    return call


def _shuffling(shuffle):
    @functools.wraps(shuffle)
    def call(x, random=None):
        if random is None:
            return shuffle(x)
        _report.adapted('random.shuffle(random=)')
        for i in reversed(range(1, len(x))):
            j = int(random() * (i + 1))
            x[i], x[j] = x[j], x[i]
    return call


def _test_cases(patches, unittest):
    prefix = 'unittest.TestCase.'
    for what, entry in removed.entries().items():
        if what.startswith(prefix):
            name = what.removeprefix(prefix)
            if not hasattr(unittest.TestCase, name):
                names.set_counted(
                    patches, unittest.TestCase, name, what,
                    getattr(unittest.TestCase, entry.instead.rpartition('.')[2]))


def _coroutine(function):
    """Convert a generator, or a function that returns a value, to a coroutine."""
    generator = types.coroutine(function)

    @functools.wraps(function)
    async def call(*args, **kwargs):
        result = generator(*args, **kwargs)
        return await result if inspect.isawaitable(result) else result
    return call


def _asyncio(patches, asyncio):
    names.provide(patches, asyncio, 'python', {'coroutine': lambda: _coroutine})


def install(patches):
    for module, special in _SPECIAL.items():
        names.provide(patches, module, 'python', {
            name: find for name, find in special.items() if not hasattr(module, name)})
    if not hasattr(threading.Thread, 'isAlive'):
        names.set_counted(patches, threading.Thread, 'isAlive',
                          'threading.Thread.isAlive', threading.Thread.is_alive)
    for name in ('load', 'loads'):
        patches.set(json, name, _without('json.%s(encoding=)' % name, 'encoding')(
            getattr(json, name)))
    patches.set(random, 'sample', _drawing(random.sample))
    patches.set(random, 'shuffle', _shuffling(random.shuffle))
    when_imported(patches, 'unittest', functools.partial(_test_cases, patches))
    if sys.version_info >= (3, 11):
        when_imported(patches, 'asyncio', functools.partial(_asyncio, patches))
