"""Calls of functions and links whose labels may be odd, with and without debug mode.

A line of `table.txt` has arrays with their shapes, labels with theirs and the number of
classes, and a call. This module runs beside the released Chainer as well, and so needs
nothing but NumPy.
"""
import pathlib
import re
import warnings

import numpy as np


def _shape(text):
    return tuple([int(n) for n in text.split('x')])


def table():
    """Yield the line, the call, arrays by name, and labels with numbers of classes."""
    text = pathlib.Path(__file__).with_name('table.txt').read_text(encoding='utf-8')
    for line in text.strip().split('\n'):
        arrays, labels, call = [part.strip() for part in line.split(' | ')]
        yield line, call, {
            name: np.asarray(np.sin(
                np.arange(np.prod(_shape(shape))) * 1.7 + 1 + i) * .8, 'f').reshape(
                    _shape(shape))
            for i, (name, shape) in enumerate(re.findall(r'(\w+):([\dx]+)', arrays))
        }, {
            name: (np.arange(np.prod(_shape(shape)), dtype='i').reshape(
                _shape(shape)) % int(classes), int(classes))
            for name, shape, classes in re.findall(r'(\w+):([\dx]+)<(\d+)', labels)}


def _odd(labels, classes):
    """Yield names and arrays of odd labels that are made of ordinary ones."""
    n = classes
    for last in (-1, -2, -n, -n - 1, n, n + 3, 300, -2 ** 31):
        changed = labels.copy()
        changed.flat[-1] = last
        yield 'last %d' % last, changed
    for value in (-1, n):
        yield 'all %d' % value, np.full_like(labels, value)
    for dtype in 'lhbBHI?efdO':
        yield dtype, labels.astype(dtype)
    yield 'swapped', labels.astype(labels.dtype.newbyteorder())
    yield 'short', labels[:-1]
    yield 'one', labels[:1]
    yield 'none', labels[:0]
    yield 'long', np.concatenate([labels, labels[:1]])
    yield 'longer', np.concatenate([labels, labels])
    yield 'axis before', labels[None]
    yield 'axis behind', labels[..., None]
    yield 'no axis', labels.ravel()[0].reshape(())
    yield 'flat', labels.ravel()
    yield 'last axis short', labels[..., :-1]
    yield 'last axis one', labels[..., :1]
    yield 'last axis none', labels[..., :0]
    yield 'last axis long', np.concatenate([labels, labels[..., :1]], -1)
    yield 'strided', np.repeat(labels, 2, 0)[::2]
    yield 'list', labels.tolist()


def variants(labels):
    """Yield the name of each variant, and its labels by name."""
    ordinary = {name: values for name, (values, _) in labels.items()}
    yield 'as they are', ordinary
    for name, (values, classes) in labels.items():
        for odd, changed in _odd(values, classes):
            yield '%s %s' % (name, odd), {**ordinary, name: changed}


def _flat(results):
    if isinstance(results, (list, tuple)):
        return [each for result in results for each in _flat(result)]
    return [results]


def _told(array):
    if array is None:
        return '-'
    array = np.asarray(getattr(array, 'array', array))
    values = array.astype('d').ravel()
    total = (values * np.cos(np.arange(values.size))).sum()
    return '%s%s %.3g' % (array.dtype.char, 'x'.join(map(str, array.shape)), total)


def outcome(chainer, call, arrays, labels, debug):
    """Return what is told of results and gradients, or the type of an exception."""
    made = {name: chainer.Variable(x.copy()) for name, x in arrays.items()}
    # Targets are put among samples of noise.
    labels = {name: each.copy() for name, each in labels.items()}
    np.random.seed(0)
    with warnings.catch_warnings(), np.errstate(all='ignore'), chainer.using_config(
            'debug', debug):
        warnings.simplefilter('ignore')
        try:
            results = _flat(eval(call, {
                'F': chainer.functions, 'L': chainer.links, 'np': np,
                'D': chainer.distributions, **made, **labels}))
        except Exception as error:
            return type(error).__name__
        told = [_told(y) for y in results]
        ys = [y for y in results if isinstance(y, chainer.Variable)
              and y.dtype.kind == 'f' and y.creator is not None]
        for y in ys:
            y.grad = np.cos(np.arange(y.size)).astype(y.dtype).reshape(y.shape)
        try:
            if ys:
                chainer.backward(ys)
        except Exception as error:
            return [*told, 'backward: ' + type(error).__name__]
        return told + [_told(x.grad) for x in made.values()]
