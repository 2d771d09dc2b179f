"""A link as a PyTorch module."""
from __future__ import annotations

import numbers

import torch

from chainer_fast import backend, configuration
from chainer_fast._help import mistakes
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.interop.torch import _sharing, _values
from chainer_fast.interop.torch._graph import from_torch, to_torch
from chainer_fast.link import Link
from chainer_fast.variable import Variable


class _Part(torch.nn.Module):
    """The parameters and persistent values of one link of a hierarchy."""

    def __init__(self, link):
        super().__init__()
        self._of_link = link
        self._pairs = {}
        self._shared = []
        attributes = link.__dict__
        # Links may use names that modules also have, such as ``half``.
        for name in sorted(link._params):
            pair = _sharing.pair_of_parameter(attributes[name])
            self._pairs[name] = pair
            self._shared.append(pair)
            self._parameters[name] = pair.tensor
        for name in sorted(link._persistent):
            if isinstance(attributes[name], get_array_types()):
                self._buffers[name] = None
                self._shared.append(_sharing.Persistent(link, name, self, name))
        for name, child in link._named_children():
            self._modules[name] = _Part(child)

    def share(self) -> None:
        """Restore the common memory of link and module after one was reassigned."""
        for part in self._parts():
            for name, pair in part._pairs.items():
                _sharing.check_tensor(part, name, pair)
            for shared in part._shared:
                shared.share()

    def _parts(self):
        return [part for part in self.modules() if isinstance(part, _Part)]

    def extra_repr(self):
        return type(self._of_link).__name__

    def _numbers(self):
        """Return the names of the persistent values that are numbers."""
        attributes = self._of_link.__dict__
        return [name for name in sorted(self._of_link._persistent)
                if isinstance(attributes[name], numbers.Number)]

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, pair in self._pairs.items():
            pair.share()
            if not pair.parameter.is_initialized:
                raise ValueError(
                    'the parameter %s%s is not initialized: call the module once '
                    'before state_dict' % (prefix, name))
        super()._save_to_state_dict(destination, prefix, keep_vars)
        for name in self._numbers():
            destination[prefix + name] = torch.tensor(self._of_link.__dict__[name])

    def _load_from_state_dict(
            self, state_dict, prefix, local_metadata, strict, missing_keys,
            unexpected_keys, error_msgs):
        for name, pair in self._pairs.items():
            if not pair.parameter.is_initialized and prefix + name in state_dict:
                pair.parameter.initialize(tuple(state_dict[prefix + name].shape))
            pair.share()
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
            error_msgs)
        attributes = self._of_link.__dict__
        for name in self._numbers():
            key = prefix + name
            if key in state_dict:
                attributes[name] = type(attributes[name])(state_dict[key].item())
                if key in unexpected_keys:
                    unexpected_keys.remove(key)
            elif strict:
                missing_keys.append(key)


class LinkModule(_Part):
    """A link as a PyTorch module.

    The parameters share memory with those of the link, so both sides see every update.
    The same applies to persistent arrays, which are buffers. Gradients flow through a
    call in either direction and can be differentiated again. After a backward pass of
    PyTorch, the parameters of the link have the gradients, too, so optimizers of
    PyTorch and of Chainer can be used. ::

        module = LinkModule(L.Linear(3, 2))
        model = torch.nn.Sequential(torch.nn.Linear(4, 3), module)
        optimizer = torch.optim.Adam(model.parameters())

    Parameters
    ----------
    link : chainer_fast.Link
        The link. Parameters whose shapes are determined at the first call are
        supported; an optimizer may be created before it.

    Attributes
    ----------
    link : chainer_fast.Link

    Notes
    -----
    Names in ``state_dict`` are those of the link with dots instead of slashes. Calls
    convert tensors inside of tuples, lists and dictionaries to variables, and convert
    the results back. During a call, ``module.train()`` and ``module.eval()`` determine
    ``config.train``, and ``torch.no_grad()`` determines ``config.enable_backprop``.
    """

    def __init__(self, link: Link) -> None:
        mistakes.require(link, 'namedparams', (
            'LinkModule takes a link of Chainer, and ModuleLink a module of PyTorch'))
        super().__init__(link)

    @property
    def link(self) -> Link:
        """The link."""
        return self._of_link

    def forward(self, *args, **kwargs):
        self.share()
        with configuration.using_config('train', self.training), \
                configuration.using_config('enable_backprop', torch.is_grad_enabled()):
            args, kwargs = _values.convert((args, kwargs), torch.Tensor, from_torch)
            results = self._of_link(*args, **kwargs)
            self.share()
            return _values.convert(
                results, (Variable, *get_array_types()), to_torch)

    def share_grads(self) -> None:
        """Make the gradients of the link's parameters those of the module's.

        Use it with a PyTorch optimizer after a backward pass of Chainer; after a
        backward pass of PyTorch, the gradients are already the same. Clear them with
        ``link.cleargrads()``.
        """
        self.share()
        for part in self._parts():
            for pair in part._pairs.values():
                pair.share_grad()

    def _apply(self, fn, recurse=True):
        result = super()._apply(fn, recurse)
        self.share()
        arrays = [param.array for param in self._of_link.params(include_uninit=False)]
        if arrays:
            device = backend.get_device_from_array(arrays[0])
            if device != self._of_link.device:
                self._of_link.to_device(device)
                self.share()
        return result

    def __reduce__(self):
        return _remake, (type(self), self._of_link, self.training)


def _remake(cls, link, is_training):
    return cls(link).train(is_training)
