"""An updater that only counts, and what tests do with it."""
from chainer_fast import serializers, training


class CountingUpdater(training.Updater):
    """Updater whose epochs have any length, whole or not."""

    def __init__(self, iterations_per_epoch=2):
        self.length = iterations_per_epoch
        self.iteration = 0
        self.finalized = 0
        self.optimizers = {}

    @property
    def epoch_detail(self):
        return self.iteration / self.length

    @property
    def epoch(self):
        return int(self.epoch_detail)

    @property
    def previous_epoch_detail(self):
        return (self.iteration - 1) / self.length if self.iteration else None

    @property
    def is_new_epoch(self):
        return bool(self.iteration) and self.epoch > int(self.previous_epoch_detail)

    def update(self):
        self.iteration += 1

    def finalize(self):
        self.finalized += 1

    def get_optimizer(self, name):
        return self.optimizers[name]

    def get_all_optimizers(self):
        return self.optimizers

    def serialize(self, serializer):
        self.iteration = serializer('iteration', self.iteration)


def make_trainer(stop=(4, 'iteration'), iterations_per_epoch=2, out=None, **kwargs):
    """Return a trainer with a counting updater."""
    trainer = training.Trainer(
        CountingUpdater(iterations_per_epoch), stop, str(out or '.'), **kwargs)
    if out is None:
        trainer.run = None  # it would create the folder
    return trainer


def save(target):
    """Return the contents of a snapshot."""
    contents = {}
    target.serialize(serializers.DictionarySerializer(contents))
    return contents


def load(target, contents):
    """Restore an object and return it."""
    target.serialize(serializers.NpzDeserializer(contents))
    return target


class Observation:
    """A trainer, as far as triggers and some extensions look at it."""

    def __init__(self, iterations_per_epoch=2):
        self.updater = CountingUpdater(iterations_per_epoch)
        self.observation = {}
        self.elapsed_time = 0.

    def step(self, **observation):
        self.updater.update()
        self.observation = observation
        return self
