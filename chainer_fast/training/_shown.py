"""Display of trainers in notebooks."""
from __future__ import annotations

from typing import TYPE_CHECKING

from chainer_fast._help import display
from chainer_fast._help.display.tree import Tree
from chainer_fast.optimizer import _shown
from chainer_fast.training.util import _never_fire_trigger

if TYPE_CHECKING:
    from chainer_fast.training.trainer import Trainer


def describe(trainer: Trainer) -> Tree:
    """Return the description of a trainer."""
    updater = trainer.updater
    rows = [
        ('iteration', str(updater.iteration)),
        ('epoch', str(getattr(updater, 'epoch', ''))),
        ('ends after', _trigger(trainer.stop_trigger)),
        ('output', str(trainer.out))]
    return Tree(type(trainer).__name__, rows=rows, inside=[
        _updater(updater), _extensions(trainer._extensions)])


def _updater(updater):
    # Updaters of users may define only the attributes that they need.
    iterators = getattr(updater, '_iterators', {})
    optimizers = getattr(updater, 'get_all_optimizers', dict)()
    device = getattr(updater, 'device', None)
    return Tree(
        type(updater).__name__, 'updater', '' if device is None else 'on %s' % device,
        [(name, *_iterator(iterator)) for name, iterator in iterators.items()],
        [_shown.describe(optimizer, name) for name, optimizer in optimizers.items()])


def _iterator(iterator):
    facts = [type(iterator).__name__]
    size = getattr(iterator, 'batch_size', None)
    if size is not None:
        facts.append('batches of %s' % size)
    try:
        facts.append(display.plural(len(iterator.dataset), 'example'))
    except (AttributeError, TypeError):
        pass    # an iterator without a data set, or an endless one
    return facts


def _extensions(entries):
    ordered = sorted(entries.items(), key=lambda item: -item[1].priority)
    return Tree(
        display.plural(len(entries), 'extension'), '', 'in the order of their calls', [
            (name, _trigger(entry.trigger), 'priority %d' % entry.priority)
            for name, entry in ordered])


def _trigger(trigger):
    period, unit = getattr(trigger, 'period', None), getattr(trigger, 'unit', None)
    if period is not None and unit is not None:
        return display.plural(period, unit)
    return 'never' if trigger is _never_fire_trigger else type(trigger).__name__
