"""Base of hooks that change one gradient at a time."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from chainer_fast import backend
from chainer_fast._core.updates import update

if TYPE_CHECKING:
    from chainer_fast.optimizer import UpdateRule
    from chainer_fast.variable import Parameter


class GradientHook:
    """Base of hooks that change the gradient of one parameter before its update."""

    call_for_each_param = True
    timing = 'pre'

    # Whether to change the plain arrays inside the given ones.
    _falls_back = True

    # Methods that a recipe replaces.
    _served_methods = ('__call__', '_change')

    def __call__(self, rule: UpdateRule, param: Parameter) -> None:
        if param.grad is None or param.array is None:
            return
        if param.device.xp is not numpy and update.change(self, param):
            return
        if self._falls_back:
            param = param._plain()
        device = param.device
        with backend.using_device(device):
            grad: Any = param.grad
            if grad.dtype.char != 'e':
                self._change(grad, param, rule, device.xp)
                return
            # In float32, so that norms do not overflow and small rates are not zero.
            changed = grad.astype(numpy.float32)
            self._change(changed, param, rule, device.xp)
            grad[...] = changed

    def _change(self, grad, param, rule, xp):
        """Change a gradient in place; it is float32 if the parameter is float16."""
        raise NotImplementedError


def register(recipe):
    """Return a decorator that adds the compiled form to a class of hooks."""
    def decorate(hook_class):
        hook_class._recipe = recipe
        update.register_hook(hook_class, recipe)
        return hook_class
    return decorate
