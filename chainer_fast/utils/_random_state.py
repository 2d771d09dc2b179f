"""States of random number generators in snapshots.

NumPy's legacy generators and Python's ``random`` are Mersenne twisters. A state is
saved as an array of ``float64``, which represents 32-bit integers exactly: 624 words,
the position among them, whether there is an unused normal sample, and that sample.
"""
import contextlib
import contextvars
import random

import numpy

from chainer_fast.serializer import Deserializer

_N_WORDS = 624
_VERSION = random.getstate()[0]

_global_is_saved = contextvars.ContextVar('global_is_saved', default=False)


def serialize(serializer, name, generator):
    """Write or read the state of a NumPy generator.

    A generator that is not a Mersenne twister is ignored.

    Parameters
    ----------
    serializer : AbstractSerializer
    name : str
        Name of the entry. If a snapshot lacks it, the generator is not changed.
    generator : numpy.random.RandomState
    """
    state = generator.get_state(legacy=False)
    if state['bit_generator'] != 'MT19937':
        return
    words, position = state['state']['key'], state['state']['pos']
    loaded = _exchange(serializer, name, [
        *words, position, state['has_gauss'], state['gauss']])
    if loaded is not None:
        words, position, has_normal, normal = loaded
        generator.set_state(('MT19937', words, position, has_normal, normal))


def serialize_global(serializer):
    """Write or read the states of ``numpy.random`` and of Python's ``random``."""
    _, words, normal = random.getstate()
    loaded = _exchange(serializer, '_python_random_state', [
        *words, normal is not None, normal or 0.])
    serialize(serializer, '_numpy_random_state', numpy_generator())
    # Only after both have been validated.
    if loaded is not None:
        words, position, has_normal, normal = loaded
        random.setstate((
            _VERSION, (*words.tolist(), position), normal if has_normal else None))


@contextlib.contextmanager
def global_is_saved():
    """Return a context for a snapshot in which :func:`serialize_global` follows."""
    token = _global_is_saved.set(True)
    try:
        yield
    finally:
        _global_is_saved.reset(token)


def is_saved(generator):
    """Return whether the current snapshot includes the state of a generator.

    Parameters
    ----------
    generator : numpy.random.RandomState or None
        None means the global generator.
    """
    if generator is None or generator is numpy_generator():
        return _global_is_saved.get()
    return isinstance(generator, numpy.random.RandomState)


@contextlib.contextmanager
def unchanged_global():
    """Return a context that restores the states of ``numpy.random`` and ``random``."""
    python, generator = random.getstate(), numpy_generator()
    state = generator.get_state(legacy=False)
    try:
        yield
    finally:
        random.setstate(python)
        generator.set_state(state)


def numpy_generator():
    """Return the generator of the functions of ``numpy.random``."""
    # NumPy declares the method of a generator as a function.
    return numpy.random.permutation.__self__  # type: ignore[attr-defined]


def _exchange(serializer, name, numbers):
    """Write a state, or return the state that was read, if any."""
    state = numpy.array(numbers, numpy.float64)
    try:
        loaded = serializer(name, state)
    except KeyError:
        return None     # a snapshot by Chainer or another program
    if not isinstance(serializer, Deserializer):
        return None
    words, (position, has_normal, normal) = loaded[:_N_WORDS], loaded[_N_WORDS:]
    # With a position beyond the words, the generator would read arbitrary memory.
    if not (numpy.all((words >= 0) & (words < 2**32) & (words % 1 == 0)) and words.any()
            and position in range(_N_WORDS + 1) and has_normal in (0, 1)
            and numpy.isfinite(normal)):
        raise ValueError('%s is not the state of a Mersenne twister' % (name,))
    return (words.astype(numpy.uint32), int(position), int(has_normal), float(normal))
