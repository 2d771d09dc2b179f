"""A program of seeded iterators that tells every number drawn, for any Chainer.

``compat/streams.py`` runs it with a released Chainer; the figures are
``tests/iterators/streams.json``. A case names the iterator, its arguments, and steps:

====  ======================================================
N     the next batch, with what the data set draws, and where
D     a draw of the main process
R     reset
S, L  save; load what was saved
l     finalize, make a new iterator, load what was saved
C     go on with a copy
F     finalize
====  ======================================================

After each step the next number of the main process is noted, without drawing it.
"""
import copy
import json
import os
import sys
import time

import numpy


class Data:
    """Examples that are their index, a draw, and the process that made it."""

    def __init__(self, n):
        self._n = n
        self._main = os.getpid()

    def __len__(self):
        return self._n

    def __getitem__(self, i):
        where = 'main' if os.getpid() == self._main else 'worker'
        return [int(i), _rounded(numpy.random.uniform()), where]


def _rounded(x):
    return round(float(x), 4)


def _upcoming():
    generator = numpy.random.RandomState()
    generator.set_state(numpy.random.get_state())
    return _rounded(generator.uniform())


def _sample(order, position):
    return numpy.random.permutation(len(order))


def run(case, chainer, settle):
    """Return a list of (step, result, next number of the main process).

    Parameters
    ----------
    case : dict
        The iterator and its steps.
    chainer : module
    settle : callable
        Waits until all has been read that an iterator reads in advance.
    """
    class Saver(chainer.Serializer):
        def __call__(self, key, value):
            saved[key] = copy.copy(value)
            return value

    class Loader(chainer.Deserializer):
        def __call__(self, key, value):
            if isinstance(value, numpy.ndarray):
                value[...] = saved[key]     # as the deserializers do
                return value
            return saved[key]

    def make():
        arguments = dict(case['arguments'])
        if arguments.pop('sampler', False):
            arguments['order_sampler'] = _sample
        it = getattr(chainer.iterators, case['iterator'])(
            Data(case['n']), case['size'], **arguments)
        made.append(it)
        return it

    numpy.random.seed(0)
    made, saved, out = [], {}, []
    it = make()
    for step in case['steps']:
        result = None
        if step == 'N':
            try:
                result = it.next()
            except StopIteration:
                result = 'stop'
        elif step == 'D':
            result = _rounded(numpy.random.uniform())
        elif step == 'R':
            it.reset()
        elif step == 'S':
            saved.clear()
            it.serialize(Saver())
        elif step == 'L':
            it.serialize(Loader())
        elif step == 'l':
            it.finalize()
            it = make()
            it.serialize(Loader())
        elif step == 'C':
            it = copy.copy(it)
            made.append(it)
        elif step == 'F':
            it.finalize()
        if step != 'D':
            settle(it)
        out.append([step, result, _upcoming()])
    for it in made:
        it.finalize()
    return out


if __name__ == '__main__':
    import chainer as released
    cases = json.load(sys.stdin)
    print(json.dumps([
        run(case, released, lambda it: time.sleep(.15)) for case in cases]))
