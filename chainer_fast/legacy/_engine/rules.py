"""Optimizers that programs of version 1 define: methods in place of update rules."""
import numpy

from chainer_fast.legacy import _report
from chainer_fast.optimizer import GradientMethod, Hyperparameter, Optimizer, UpdateRule

_METHODS = tuple([
    (cls, name) for cls, names in (
        (Optimizer, ('init_state', 'init_state_cpu', 'init_state_gpu')),
        (GradientMethod, ('update_one', 'update_one_cpu', 'update_one_gpu')))
    for name in names])


class RuleOfOptimizer(UpdateRule):
    """Update rule that calls the methods of its optimizer."""

    def __init__(self, optimizer):
        super().__init__()
        self.optimizer = optimizer

    def init_state(self, param):
        """Have the optimizer make the states."""
        self.optimizer.init_state(param, self.state)

    def update_core(self, param):
        """Have the optimizer move the parameter."""
        self.optimizer.update_one(param, self.state)


def _dispatch(name):
    """Make a method that calls the one for the device of a parameter."""
    def call(self, param, state):
        kind = 'cpu' if param.device.xp is numpy else 'gpu'
        return getattr(self, '%s_%s' % (name, kind))(param, state)
    return call


def _do_nothing(self, param, state):
    """Make no states, as most optimizers of the time have none."""


def _not_defined(self, param, state):
    raise NotImplementedError(
        '%s defines neither update_one nor create_update_rule' % type(self).__name__)


def _create_update_rule(self):
    for owner, name in _METHODS:
        method = getattr(type(self), name)
        if method is not vars(owner)[name]:
            _report.adapted_in('chainer.%s.%s' % (owner.__name__, name), method)
    return RuleOfOptimizer(self)


class _Hyperparameters:
    """Makes the hyperparameters of an optimizer whose class does not.

    Classes of version 1 did not call the method ``__init__`` of their base.
    """

    def __get__(self, optimizer, cls=None):
        if optimizer is None:
            return self
        return optimizer.__dict__.setdefault('hyperparam', Hyperparameter())


def _states_of(self):
    """Return the states of all parameters by path; make those that are missing."""
    own = {}
    if not isinstance(self, GradientMethod):
        own = self.__dict__.setdefault('_own_states', own)
    found = {}
    for path, param in self.target.namedparams(include_uninit=False):
        if param.update_rule is not None:
            param.update_rule._init_states(param)
            found[path] = param.update_rule.state
        else:
            if path not in own:
                own[path] = {}
                self.init_state(param, own[path])
            found[path] = own[path]
    return found


def _get_states(self):
    _report.adapted('chainer.Optimizer._states')
    return _states_of(self)


def _prepare(self):
    _report.adapted('chainer.Optimizer.prepare')
    _states_of(self)


def install(patches):
    """Let classes of optimizers define what version 1 asked for."""
    methods = (_dispatch('init_state'), _do_nothing, _do_nothing,
               _dispatch('update_one'), _not_defined, _not_defined)
    for (cls, name), method in zip(_METHODS, methods, strict=True):
        patches.set(cls, name, method)
    patches.set(Optimizer, 'prepare', _prepare)
    patches.set(Optimizer, '_states', property(_get_states))
    patches.set(GradientMethod, 'create_update_rule', _create_update_rule)
    patches.set(GradientMethod, '_use_fp32_update', False)
    patches.set(GradientMethod, 'hyperparam', _Hyperparameters())
