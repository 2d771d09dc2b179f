"""Updaters: how one iteration of a training is done."""
from chainer_fast.training.updaters import standard_updater
from chainer_fast.training.updaters.standard_updater import StandardUpdater
