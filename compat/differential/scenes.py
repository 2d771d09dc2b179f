"""What is done with what a case's call returns.

A scene is a function of the library, the object that the call returned, and what the
case gives besides. It returns what is to be compared.
"""

import contextlib
import io
import os

import numpy as np

from compat.differential import things
from compat.differential.scenes_of_data import (
    folder,
    saved,
)


def result(chainer, made):
    return made


def call(chainer, made, *args, **kwargs):
    return made(*args, **kwargs)


def twice(chainer, made, *args, **kwargs):
    """Call a link that has a state two times."""
    made(*args, **kwargs)
    return made(*args, **kwargs)


def method(chainer, made, name, *args, **kwargs):
    """Return a member of the object, or what its call returns."""
    member = getattr(made, name)
    return member(*args, **kwargs) if callable(member) else member


def attributes(chainer, made, *names):
    return {name: getattr(made, name) for name in names}


def sorted_items(chainer, made):
    """Return what iterators such as ``namedparams`` give, by name."""
    return [
        list(each) if isinstance(each, tuple) else each
        for each in sorted(
            made, key=lambda each: each[0] if isinstance(each, tuple) else str(each)
        )
    ]


def listed(chainer, made, count=20):
    return [each for each, _ in zip(made, range(count), strict=False)]


def rows(chainer, made, *indexes):
    """Return the items of a data set, or of several, and its length."""
    if isinstance(made, (list, tuple)):
        return [rows(chainer, each, *indexes) for each in made]
    return [len(made), *[made[index] for index in indexes or [slice(None)]]]


def initialize(chainer, made, *shapes_and_dtypes):
    """Fill arrays by an initializer."""
    filled = []
    for shape, dtype in shapes_and_dtypes:
        array = np.full(shape, 7, dtype)
        made(array)
        filled.append(array)
    return filled


def generate(chainer, made, shape, *rest):
    return chainer.initializers.generate_array(made, shape, np, *rest)


def iterate(chainer, made, count=7):
    """Return batches and, after each, where the iterator stands."""
    found = []
    try:
        for _ in range(count):
            try:
                batch = next(made)
            except StopIteration:
                found.append('end')
                made.reset()
                continue
            found.append(
                [
                    batch,
                    made.epoch,
                    made.is_new_epoch,
                    made.epoch_detail,
                    made.previous_epoch_detail,
                ]
            )
        found.append(saved(chainer, made))
    finally:
        made.finalize()
    return found


def hook_of_link(chainer, made, link, x):
    """Call a link with a hook of links two times."""
    link.add_hook(made)
    first = link(x)
    second = link(x)
    return [first, second, sorted(name for name, _ in link.namedparams())]


def hook_of_function(chainer, made, x):
    with made, contextlib.redirect_stdout(io.StringIO()):
        return chainer.functions.exp(x) * 2


class _Clock:
    """As much of a trainer as triggers look at."""

    def __init__(self, chainer, per_epoch):
        self.updater = self
        self.iteration = self.epoch = 0
        self.previous_epoch_detail = self.epoch_detail = 0.0
        self.is_new_epoch = False
        self.observation = {}
        self.elapsed_time = 0.0
        self.stop_trigger = (3, 'epoch')
        self.per_epoch = per_epoch
        self.reporter = chainer.Reporter()

    def tick(self, values):
        self.iteration += 1
        self.elapsed_time += 0.75
        self.previous_epoch_detail = self.epoch_detail
        self.epoch_detail = self.iteration / self.per_epoch
        self.is_new_epoch = int(self.epoch_detail) > self.epoch
        self.epoch = int(self.epoch_detail)
        self.observation = {
            'loss': values[self.iteration % len(values)],
            'validation/main/loss': values[-self.iteration % len(values)],
        }


def fires(chainer, made, per_epoch=3, values=(3.0, 1.0, 2.0, 1.0, 0.0, 5.0), count=9):
    """Return in which iterations a trigger fires, and what it saves."""
    clock, fired = _Clock(chainer, per_epoch), []
    for _ in range(count):
        clock.tick(list(values))
        fired.append(bool(made(clock)))
    return [fired, saved(chainer, made) if hasattr(made, 'serialize') else None]


def extend(chainer, made, trigger=None, **options):
    """Run a training with an extension; return the end of it and its files."""
    with folder(), contextlib.redirect_stdout(io.StringIO()) as printed:
        trainer = things.training(chainer, **options)
        trainer.extend(
            chainer.training.extensions.LogReport(trigger=(1, 'iteration')),
            name='LogReport',
        )
        trainer.extend(made, **({} if trigger is None else {'trigger': trigger}))
        trainer.run()
        log = trainer.get_extension('LogReport').log
        optimizer = trainer.updater.get_optimizer('main')
        return [
            [
                {key: value for key, value in entry.items() if key != 'elapsed_time'}
                for entry in log
            ],
            optimizer.lr,
            sorted(os.listdir('result')),
            bool(printed.getvalue()),
            {name: param.array for name, param in optimizer.target.namedparams()},
        ]


def run(chainer, made):
    """Run a trainer."""
    with folder():
        made.run()
    return [made.updater.iteration, made.updater.epoch, made.is_before_training]


def distribution(chainer, made, name, *args, **kwargs):
    """Return a member of a distribution with its shapes."""
    found = method(chainer, made, name, *args, **kwargs)
    return [found, made.batch_shape, made.event_shape]


def written(chainer, made, name, *args, **kwargs):
    """Call a method for what it changes: return the object afterwards."""
    getattr(made, name)(*args, **kwargs)
    return made


def assigned(chainer, made, name, value):
    setattr(made, name, value)
    return [made, getattr(made, name)]


def items_of(chainer, made, name, *args):
    """Return what an iterator of a link gives."""
    found = getattr(made, name)
    return sorted_items(chainer, found(*args) if callable(found) else found)


def in_scope(chainer, made, name, *values):
    """Assign values to a link within a context that it gives, and again after it."""
    with getattr(made, name)():
        inside = made.within_init_scope
        for number, value in enumerate(values):
            setattr(made, 'inside_%d' % number, value)
    for number, value in enumerate(values):
        setattr(made, 'after_%d' % number, value)
    children = made.children() if isinstance(made, chainer.Chain) else ()
    return [made, inside, made.within_init_scope, [child.name for child in children]]


def saved_as(chainer, made):
    return saved(chainer, made)


def within(chainer, made):
    """Enter a context; return the configuration inside it."""
    with made:
        return [
            chainer.config.train,
            chainer.config.enable_backprop,
            chainer.config.debug,
            str(chainer.get_device('@numpy')),
        ]
