"""What is done with data sets, serializers, updaters and reports."""

import contextlib
import os
import tempfile

import numpy as np


@contextlib.contextmanager
def folder():
    """Work in an empty folder."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            yield name
        finally:
            os.chdir(before)


def finished(chainer, made, name):
    """Return a member of an iterator after two batches."""
    try:
        next(made)
        next(made)
        found = getattr(made, name)
        return [found() if callable(found) else found, made.epoch_detail]
    finally:
        made.finalize()


def kind(chainer, made):
    return isinstance(made, str) and os.path.isabs(made)


def decorated(chainer, made, function):
    """Use a decorator; return the resulting function, and its description."""
    found = made(function)
    return [found, getattr(found, 'trigger', None), getattr(found, 'priority', None)]


def written_file(chainer, made):
    with folder(), made as writer:
        writer.write(1)
        writer.flush()
    return 'written'


def round_trip_of(chainer, made, saved, form='npz', other=None, strict=True):
    """Save a link to a file, and load another from that."""
    save = getattr(chainer.serializers, 'save_' + form)
    load = getattr(chainer.serializers, 'load_' + form)
    with folder():
        save('file', saved)
        target = saved if other is None else other
        load('file', target, **({} if strict is True else {'strict': strict}))
    return target


def visited(chainer, made, link):
    """Return the names and values that a link saves."""
    made.save(link)
    return {
        key: value
        for key, value in made.target.items()
        if np.asarray(value).dtype != object
    }


def target_of(chainer, made, key, value):
    made[key](key, value)
    return made.target


def called(chainer, made, key, value):
    """Hand a value to a serializer; return what it returns and what it has."""
    found = made(key, value)
    return [found, getattr(made, 'target', None)]


def steps(chainer, made, count=4):
    """Update by an updater."""
    for _ in range(count):
        made.update()
    made.finalize()
    optimizer = made.get_optimizer('main')
    return [
        made.iteration,
        made.epoch,
        made.epoch_detail,
        made.is_new_epoch,
        {name: param.array for name, param in optimizer.target.namedparams()},
    ]


def evaluated(chainer, made):
    """Return what an evaluator reports."""
    return made.evaluate()


def reported(chainer, made, values):
    with made.scope({}):
        made.report(values)
    with made:
        chainer.report(values)
    return made.observation


def reports_within(chainer, made):
    reporter = chainer.Reporter()
    with reporter, made:
        chainer.report({'a': 1})
    return reporter.observation


def summed(chainer, made, values, weights=None):
    """Return mean and deviation of values."""
    for number, value in enumerate(values):
        if weights is None:
            made.add(value)
        else:
            made.add(value, weights[number])
    return [made.compute_mean(), made.make_statistics()]


class Saved(dict):
    """What an object saves, by name; here it may be more than in Chainer."""


def saved(chainer, made):
    """Return what an object saves, by name."""
    serializer = chainer.serializers.DictionarySerializer()
    made.serialize(serializer)
    return Saved(
        {
            key: value
            for key, value in sorted(serializer.target.items())
            if value is None
            or np.asarray(value).dtype != object
            or (np.asarray(value).item() is None)
        }
    )
