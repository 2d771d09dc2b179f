"""Methods of optimizers in version 1."""
import math
import warnings

from chainer_fast import backend, optimizer, optimizer_hooks
from chainer_fast.legacy import _report


def _zero_grads(self):
    _report.adapted('chainer.Optimizer.zero_grads')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DeprecationWarning)
        self.target.zerograds()


def _accumulate_grads(self, grads):
    _report.adapted('chainer.Optimizer.accumulate_grads')
    for param, grad in zip(self.target.params(), grads, strict=False):
        with backend.using_device(param.device):
            param.grad += param.device.send(grad)


def _clip_grads(self, maxnorm):
    _report.adapted('chainer.Optimizer.clip_grads')
    self.call_hook(optimizer_hooks.GradientClipping(maxnorm))


def _weight_decay(self, decay):
    _report.adapted('chainer.Optimizer.weight_decay')
    self.call_hook(optimizer_hooks.WeightDecay(decay))


def _compute_grads_norm(self):
    _report.adapted('chainer.Optimizer.compute_grads_norm')
    squares = [(param.grad ** 2).sum() for param in self.target.params()]
    return math.sqrt(sum(map(float, squares)))


def _make_hook(method):
    def call(self, rule, param=None):
        if param is not None or not isinstance(rule, optimizer.Optimizer):
            return method(self, rule, param)
        _report.adapted('chainer.optimizer hooks called with an optimizer')
        rule.call_hook(self)
    return call


def install(patches):
    """Restore the methods that change all gradients."""
    for method in (_zero_grads, _accumulate_grads, _clip_grads, _weight_decay,
                   _compute_grads_norm):
        patches.set(optimizer.Optimizer, method.__name__[1:], method)
    # The old classes; the current ones keep their compiled forms.
    for cls in (optimizer.WeightDecay, optimizer.Lasso, optimizer.GradientNoise,
                optimizer.GradientHardClipping):
        patches.set(cls, '__call__', _make_hook(cls.__call__))
