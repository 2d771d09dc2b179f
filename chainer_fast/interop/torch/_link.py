"""A PyTorch module as a link."""
from __future__ import annotations

import contextlib

import numpy
import torch

from chainer_fast import configuration, link
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.interop.torch import _sharing, _values
from chainer_fast.interop.torch._graph import from_torch, to_torch
from chainer_fast.variable import Variable


class ModuleLink(link.Link):
    """A PyTorch module as a link.

    The parameters share memory with those of the module, so both sides see every
    update. Buffers that the module saves are persistent values, as are parameters that
    are frozen (``requires_grad_(False)``) at construction. Gradients flow through a
    call in either direction and can be differentiated again; a backward pass of Chainer
    sets the gradients of the parameters of the link. ::

        model = ModuleLink(torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU()))
        optimizer = chainer_fast.optimizers.Adam().setup(model)

    Parameters
    ----------
    module : torch.nn.Module
        The module, with all its parameters registered. Lazy parameters get their shapes
        at the first call.

    Attributes
    ----------
    module : torch.nn.Module

    Raises
    ------
    TypeError
        If ``module`` is not a module.
    ValueError
        If a parameter of the module itself has a name that links use, such as ``name``.

    Notes
    -----
    The module becomes a single link, regardless of the modules inside: its parameters
    have the names in the module with slashes instead of dots, such as ``/0/weight``.
    Calls convert variables and arrays inside of tuples, lists and dictionaries to
    tensors, and convert the results back. ``config.train`` determines whether the
    module is in training mode during a call; submodules that are in evaluation mode
    while the whole module is in training mode remain in evaluation mode.
    """

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__()
        if not isinstance(module, torch.nn.Module):
            raise TypeError('ModuleLink takes a torch.nn.Module, not %s' % type(module))
        self.module = module
        self._pairs, self._places, self._others = [], [], []
        for key, tensor in module.named_parameters():
            if not tensor.requires_grad:
                self._add_persistent(key)
                continue
            pair = _sharing.pair_of_tensor(tensor)
            self._pairs.append(pair)
            self._places.append((*self._place_of(key), pair))
            with self.init_scope():
                setattr(self, self._name_of(key), pair.parameter)
        saved = set(module.state_dict())
        for key, _ in module.named_buffers():
            if key in saved:
                self._add_persistent(key)

    def _add_persistent(self, key):
        name = self._name_of(key)
        self.add_persistent(name, None)
        self._others.append(_sharing.Persistent(self, name, *self._place_of(key)))

    def _place_of(self, key):
        owner, _, name = key.rpartition('.')
        return self.module.get_submodule(owner), name

    def __str__(self):
        return 'ModuleLink(%s)' % self.module

    def _name_of(self, key):
        name = key.replace('.', '/')
        if hasattr(self, name):
            raise ValueError(
                'the module has a parameter or buffer %r, a name that links use for '
                'something else: wrap the module in another one, such as '
                'torch.nn.Sequential' % key)
        return name

    def share(self) -> None:
        """Restore the common memory of link and module after one was reassigned."""
        for place in self._places:
            _sharing.check_tensor(*place)
        for shared in self._pairs + self._others:
            shared.share()

    def forward(self, *args, **kwargs):
        self.share()
        with torch.set_grad_enabled(
                configuration.config.enable_backprop and torch.is_grad_enabled()), \
                _mode(self.module, configuration.config.train):
            args, kwargs = _values.convert(
                (args, kwargs), (Variable, *get_array_types()), to_torch)
            results = self.module(*args, **kwargs)
            self.share()
            return _values.convert(results, torch.Tensor, from_torch)

    def serialize(self, serializer) -> None:
        self.share()
        super().serialize(serializer)
        self.share()

    def device_resident_accept(self, visitor):
        super().device_resident_accept(visitor)
        self.share()
        if self.device.xp is not numpy:
            # Buffers that are not saved.
            number = self.device.device.id  # type: ignore[attr-defined]
            self.module.to(torch.device('cuda', number))
            self.share()

    def share_grads(self) -> None:
        """Share the gradients of the parameters of the link with the module.

        Use it with a PyTorch optimizer after a backward pass of Chainer; after a
        backward pass of PyTorch, the gradients are already the same. Clear them with
        ``link.cleargrads()``.
        """
        self.share()
        for pair in self._pairs:
            pair.share_grad()

    def copy(self, mode='share'):
        if mode == 'share':
            raise NotImplementedError(
                'a link of a module cannot be copied with mode="share": its '
                'parameters are the module\'s. Use mode="copy"')
        return super().copy(mode)

    def __reduce__(self):
        rules = {name: self.__dict__[name].update_rule for name in self._params}
        return _remake, (type(self), self.module, self.name, rules)


def _remake(cls, module, name, update_rules):
    remade = cls(module)
    remade.name = name
    for key, rule in update_rules.items():
        remade.__dict__[key].update_rule = rule
    return remade


@contextlib.contextmanager
def _mode(module, is_training):
    if module.training == is_training:
        yield
        return
    modes = [(part, part.training) for part in module.modules()]
    module.train(is_training)
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode
