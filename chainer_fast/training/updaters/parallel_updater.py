"""Updater that splits a batch among copies of a model in one process."""
from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from chainer_fast import backend, function
from chainer_fast._help import mistakes
from chainer_fast.dataset import convert
from chainer_fast.dataset.iterator import Iterator
from chainer_fast.iterators._statemachine import AN_ITERATOR
from chainer_fast.link import Link
from chainer_fast.optimizer import Optimizer
from chainer_fast.serializer import AbstractSerializer, Deserializer
from chainer_fast.training.updaters import standard_updater
from chainer_fast.types import DeviceSpec

if TYPE_CHECKING:
    from chainer_fast.training.trainer import Trainer


class ParallelUpdater(standard_updater.StandardUpdater):
    """Updater that computes the gradient of a batch on several devices.

    The examples are assigned to the models in turn. Their gradients are summed, not
    averaged, into the main model, which is updated; the others get a copy of its
    parameters. The program has one thread; the devices work in parallel as far as GPUs
    run asynchronously.

    Parameters
    ----------
    iterator : Iterator or dict of Iterator
        The data, see :class:`StandardUpdater`.
    optimizer : Optimizer or dict of Optimizer
        The optimizer, whose target is the main model.
    converter : callable
        ``converter(batch, device)`` makes the arguments of the loss function.
    models : dict of Link, optional
        The models by name, with ``'main'`` among them. By default there is one for each
        device: the target of the optimizer, and deep copies of it.
    devices : dict of device specifiers, optional
        The devices by the same names; optional if models are given.
    loss_func : callable, optional
        Function to minimize; by default each model.
    loss_scale : float, optional
        Factor for the loss, see :class:`StandardUpdater`.
    auto_new_epoch : bool
        Whether to call ``new_epoch()`` of the optimizers when an epoch ends.

    Raises
    ------
    ValueError
        If neither models nor devices are given.
    KeyError
        If models must be made and there is no main device.

    Examples
    --------
    On two GPUs: ::

        updater = chainer.training.ParallelUpdater(
            iterator, optimizer, devices={'main': 0, 'second': 1})
    """

    # Whether the models besides the main one were made here; old pickles lack it.
    _are_copies = False

    def __init__(
            self, iterator: Iterator | dict[str, Iterator],
            optimizer: Optimizer | dict[str, Optimizer],
            converter: Callable[..., Any] = convert.concat_examples,
            models: dict[str, Link] | None = None,
            devices: dict[str, DeviceSpec] | None = None,
            loss_func: Callable[..., Any] | None = None,
            loss_scale: float | None = None, auto_new_epoch: bool = True) -> None:
        super().__init__(
            iterator, optimizer, converter, loss_func=loss_func, loss_scale=loss_scale,
            auto_new_epoch=auto_new_epoch)
        self._are_copies = models is None
        if models is None:
            models = self._models_for(devices)
        self._devices, self._models = devices, models

    def _models_for(self, devices):
        if devices is None:
            raise ValueError(
                'ParallelUpdater needs models or devices, but got neither: '
                "pass e.g. devices={'main': 0, 'second': 1}")
        mistakes.require(devices, 'keys', (
            "the devices must be a dict with a device for each name, such as {'main': "
            "0, 'second': 1}"))
        names = list(devices.keys())
        if 'main' not in names:
            raise KeyError("the devices must include the name 'main', but are only %s"
                           % ', '.join(map(repr, names)))
        target = self._optimizers['main'].target
        models = {name: target if name == 'main' else copy.deepcopy(target)
                  for name in names}
        for name, model in models.items():
            device = convert._get_device(devices[name])
            if device is not None:
                model.to_device(device)
        return models

    def connect_trainer(self, trainer: Trainer) -> None:
        """Register the copies with the trainer's reporter under their names."""
        for name, model in self._models.items():
            if name != 'main':
                trainer.reporter.add_observer(name, model)

    def update_core(self) -> None:
        """Update all models with the next batch."""
        main, optimizer = self._models['main'], self.get_optimizer('main')
        iterator = self.get_iterator('main')
        mistakes.require(iterator, 'next', AN_ITERATOR)
        batch = iterator.next()
        # Inputs first, so that nothing changes if the batch cannot be converted.
        devices = self._devices or {}
        inputs = [
            convert._as_arguments(
                self.converter(batch[i::len(self._models)], devices.get(name)))
            for i, name in enumerate(self._models)]
        for model in self._models.values():
            model.cleargrads()  # a custom loss function may use any of them
        losses = [self._loss(model, args, kwargs) for model, (args, kwargs)
                  in zip(self._models.values(), inputs, strict=True)]
        for loss in losses:
            loss.backward(loss_scale=self.loss_scale)
        replicas = [model for model in self._models.values() if model is not main]
        for model in replicas:
            main.addgrads(model)
        optimizer.update()
        for model in replicas:
            model.copyparams(main)
        if self.auto_new_epoch and iterator.is_new_epoch:
            optimizer.new_epoch(auto=True)

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read the state; reading updates the copies as well."""
        super().serialize(serializer)
        # Models passed by the user may differ until the first update.
        have_met = self._are_copies or self.iteration
        if isinstance(serializer, Deserializer) and have_met:
            main = self._models['main']
            for model in self._models.values():
                if model is not main:
                    model.copyparams(main)

    def _loss(self, model, args, kwargs):
        with backend.using_device(model.device), function.force_backprop_mode():
            return (self.loss_func or model)(*args, **kwargs)
