"""Updater for one device."""
from __future__ import annotations

import inspect
import operator
import warnings
from collections.abc import Callable
from typing import Any

from chainer_fast import backend, device_resident
from chainer_fast._help import mistakes
from chainer_fast.dataset import convert
from chainer_fast.dataset.iterator import Iterator
from chainer_fast.iterators._statemachine import AN_ITERATOR, part_of_epoch
from chainer_fast.optimizer import Optimizer
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training import _updater
from chainer_fast.types import DeviceSpec


def _of_main_iterator(name, doc):
    return property(
        lambda self: part_of_epoch(self._iterators['main'], name), doc=doc)


def _named(one_or_dict):
    return one_or_dict if isinstance(one_or_dict, dict) else {'main': one_or_dict}


class StandardUpdater(_updater.Updater):
    """Updater that feeds batches of one iterator to one optimizer.

    For anything else, override :meth:`update_core` in a subclass.

    Parameters
    ----------
    iterator : Iterator or dict of Iterator
        The data. A single iterator is named ``'main'``, which is the one used here.
    optimizer : Optimizer or dict of Optimizer
        The optimizer, whose target is the model; a single one is named ``'main'``, too.
    converter : callable
        ``converter(batch, device)`` makes the arguments of the loss function: a tuple,
        a dict, or a single argument.
    device : device specifier, optional
        Device to move the models to. By default they are not moved.
    loss_func : callable, optional
        Function to minimize; the target of the optimizer by default.
    loss_scale : float, optional
        Factor for the loss, against underflow of float16 gradients. It is undone when
        the parameters are updated.
    auto_new_epoch : bool
        Whether to call ``new_epoch()`` of the optimizers when an epoch ends.
    input_device : device specifier, optional
        Device to which the converter sends the batch; ``device`` by default.

    Attributes
    ----------
    converter, loss_func, loss_scale, auto_new_epoch :
        The arguments.
    iteration : int
        Number of updates.

    Raises
    ------
    KeyError
        In an update, if there is no iterator or optimizer named ``'main'``.

    Examples
    --------
    >>> model = L.Classifier(L.Linear(3, 2))
    >>> optimizer = chainer.optimizers.SGD().setup(model)
    >>> data = [(np.ones(3, np.float32), np.int32(1))] * 10
    >>> iterator = chainer.iterators.SerialIterator(data, batch_size=5)
    >>> updater = chainer.training.StandardUpdater(iterator, optimizer)
    >>> for _ in range(3):
    ...     updater.update()
    >>> updater.iteration, updater.epoch_detail
    (3, 1.5)

    An updater for a generative adversarial network, with two optimizers: ::

        class GANUpdater(chainer.training.StandardUpdater):

            def update_core(self):
                batch = self.converter(self.get_iterator('main').next(), self.device)
                generator, critic = [
                    self.get_optimizer(name) for name in ('generator', 'critic')]
                fake = generator.target(len(batch))
                generator.update(generator_loss, critic.target(fake))
                fake.unchain_backward()
                critic.update(critic_loss, critic.target(batch), critic.target(fake))
    """

    loss_func: Callable[..., Any] | None
    loss_scale: float | None
    auto_new_epoch: bool

    def __init__(
            self, iterator: Iterator | dict[str, Iterator],
            optimizer: Optimizer | dict[str, Optimizer],
            converter: Callable[..., Any] = convert.concat_examples,
            device: DeviceSpec | None = None,
            loss_func: Callable[..., Any] | None = None,
            loss_scale: float | None = None, auto_new_epoch: bool = True, *,
            input_device: DeviceSpec | None = None) -> None:
        self.iteration: int = 0
        self.converter, self.loss_func = converter, loss_func
        self.loss_scale, self.auto_new_epoch = loss_scale, auto_new_epoch
        self._iterators = _named(iterator)
        self._optimizers = _named(optimizer)
        self._device = convert._get_device(device)
        self._input_device = convert._get_device(
            self._device if input_device is None else input_device)

        if self._device is not None:
            _move_models([named.target for named in self._optimizers.values()],
                         self._device)
        for named in self._optimizers.values():
            if auto_new_epoch:
                try:
                    named.use_auto_new_epoch = True
                except AttributeError:
                    mistakes.require(named, 'update', _updater.AN_OPTIMIZER)
                    raise
            if loss_scale is not None:
                named.set_loss_scale(loss_scale)

    device: DeviceSpec = property(operator.attrgetter('_device'),
                      doc='Device the models were moved to, or ``None``.')
    input_device: DeviceSpec = property(operator.attrgetter('_input_device'),
                            doc='Device the batches are sent to, or ``None``.')

    epoch: Any = _of_main_iterator('epoch', 'Number of complete epochs.')
    is_new_epoch: Any = _of_main_iterator(
        'is_new_epoch', 'Whether the last batch completed an epoch.')
    epoch_detail: Any = _of_main_iterator(
        'epoch_detail', 'Number of epochs, with the fraction of the current one.')
    previous_epoch_detail: Any = _of_main_iterator(
        'previous_epoch_detail', '``epoch_detail`` before the last batch.')

    def get_optimizer(self, name: str) -> Optimizer:
        """Return an optimizer by its name; ``KeyError`` if there is none."""
        return _part(self._optimizers, 'optimizer', name)

    def get_iterator(self, name: str) -> Iterator:
        """Return an iterator by its name; ``KeyError`` if there is none."""
        return _part(self._iterators, 'iterator', name)

    def get_all_optimizers(self) -> dict[str, Optimizer]:
        """Return a new dict of all optimizers by name."""
        return {**self._optimizers}

    def finalize(self) -> None:
        """Finalize all iterators."""
        for it in self._iterators.values():
            mistakes.require(it, 'finalize', AN_ITERATOR)
            it.finalize()

    def update(self) -> None:
        """Perform one iteration with :meth:`update_core`, and count it."""
        self.update_core()
        self.iteration += 1

    def update_core(self) -> None:
        """Update the parameters with one batch; subclasses may override this."""
        iterator, optimizer = self.get_iterator('main'), self.get_optimizer('main')
        mistakes.require(iterator, 'next', AN_ITERATOR)
        args, kwargs = convert._as_arguments(convert._call_converter(
            self.converter, iterator.next(), self.input_device))
        try:
            loss_func = self.loss_func or optimizer.target
        except AttributeError:
            mistakes.require(optimizer, 'target', _updater.AN_OPTIMIZER)
            raise
        try:
            optimizer.update(loss_func, *args, **kwargs)
        except TypeError as error:
            _explain_call(error, loss_func, args, kwargs)
            raise
        if self.auto_new_epoch and iterator.is_new_epoch:
            optimizer.new_epoch(auto=True)

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read iterators, optimizers, models and the iteration count."""
        for name, it in self._iterators.items():
            mistakes.require(it, 'serialize', AN_ITERATOR)
            it.serialize(serializer['iterator:' + name])
        for name, optimizer in self._optimizers.items():
            for kind, part in ('optimizer', optimizer), ('model', optimizer.target):
                part.serialize(serializer[kind + ':' + name])
        self.iteration = serializer('iteration', self.iteration)


def _move_models(models, device):
    """Move models to a device, except those on another GPU."""
    if not isinstance(device, backend.GpuDevice):
        for model in models:
            model.to_device(device)
        return
    thread_local = device_resident._thread_local
    saved = thread_local.flag_gpu_to_gpu
    thread_local.flag_gpu_to_gpu = False
    try:
        for model in models:
            model.device_resident_accept(device_resident._ToDeviceVisitor(
                device, skip_between_cupy_devices=True))
        if thread_local.flag_gpu_to_gpu:
            warnings.warn(
                'the updater does not move a model that is on another GPU, although '
                'its device is %s; call model.to_device() first' % (device,),
                FutureWarning)
    finally:
        thread_local.flag_gpu_to_gpu = saved


def _explain_call(error, loss_func, args, kwargs):
    """Explain how a batch becomes arguments if a loss function rejects them."""
    func = getattr(loss_func, 'forward', loss_func)
    try:
        inspect.signature(func).bind(*args, **kwargs)
    except ValueError:
        pass    # compiled functions may have no signature
    except TypeError:
        mistakes.tell(error, (
            'the loss function is called with %s, one for each element of an example: '
            'define it with these parameters, or pass another converter to the '
            'updater' % ', '.join(
                [*['an array of %s' % (x.shape,) if hasattr(x, 'shape')
                   else type(x).__name__ for x in args], *kwargs])))


def _part(parts, kind, name):
    try:
        return parts[name]
    except KeyError as error:
        mistakes.tell(error, 'there is no %s %r; there are %s' % (
            kind, name, ', '.join(map(repr, parts))))
        raise
