"""Optimizers that programs for version 1 define by methods instead of update rules."""
import functools

import numpy

from chainer_fast.legacy import _frames, _report
from chainer_fast.optimizer import GradientMethod, Optimizer, UpdateRule

_STATES = ('init_state', 'init_state_cpu', 'init_state_gpu')
_UPDATES = ('update_one', 'update_one_cpu', 'update_one_gpu')


class RuleOfOptimizer(UpdateRule):
    """Update rule that calls the methods of its optimizer."""

    def __init__(self, optimizer):
        super().__init__()
        self.optimizer = optimizer

    def init_state(self, param):
        """Let the optimizer create the states."""
        self.optimizer.init_state(param, self.state)

    def update_core(self, param):
        """Let the optimizer update the parameter."""
        self.optimizer.update_one(param, self.state)


def _dispatch(name):
    """Return a method that calls the one for the device of a parameter."""
    def call(self, param, state):
        kind = 'cpu' if param.device.xp is numpy else 'gpu'
        getattr(self, '%s_%s' % (name, kind))(param, state)
    return call


def _rule_of_today(optimizer, state):
    """Return a current rule of the optimizer that uses the states of a program."""
    rule = type(optimizer).create_update_rule(optimizer)
    rule._state, rule.t = state, optimizer.t
    return rule


def make_rule(optimizer):
    """Return a rule for a parameter that is added to a running training."""
    rule = (RuleOfOptimizer(optimizer) if _own_methods(type(optimizer))
            else optimizer.create_update_rule())
    rule.t = optimizer.t
    return rule


def _init_by_rule(self, param, state):
    if _has_rules(type(self)):
        _rule_of_today(self, state).init_state(param)


def _update_by_rule(self, param, state):
    if not _has_rules(type(self)):
        raise NotImplementedError(
            '%s defines neither update_one nor create_update_rule'
            % type(self).__name__)
    _rule_of_today(self, state).update_core(param)


_METHODS = {
    **{name: (Optimizer, method) for name, method in zip(
        _STATES, (_dispatch('init_state'), _init_by_rule, _init_by_rule), strict=True)},
    **{name: (GradientMethod, method) for name, method in zip(
        _UPDATES, (_dispatch('update_one'), _update_by_rule, _update_by_rule),
        strict=True)},
}


def _has_rules(cls):
    return getattr(cls, 'create_update_rule', None) not in (None, _create_update_rule)


def _own_methods(cls):
    """Return the methods of version 1 that a class of a program defines, by entry."""
    return {'chainer.%s.%s' % (owner.__name__, name): getattr(cls, name)
            for name, (owner, method) in _METHODS.items()
            if getattr(cls, name) is not method}


def _create_update_rule(self):
    return RuleOfOptimizer(self)


def _states_of(self):
    """Return the states of all parameters by path; create missing ones."""
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
    if _frames.is_called_by_program():
        _report.adapted('chainer.Optimizer.prepare')
    _states_of(self)


def _call_hooks_and_prepare(optimizer, timing='pre'):
    """Let an optimizer prepare after its hooks, as in version 1."""
    type(optimizer).call_hooks(optimizer, timing)
    if timing == 'pre':
        optimizer.prepare()


def install(patches):
    """Let classes of optimizers define the methods that version 1 required."""
    setup = GradientMethod.setup

    def set_up(self, link):
        setup(self, link)
        cls = type(self)
        own = _own_methods(cls)
        for what, method in own.items():
            _report.adapted_in(what, method)
        if own:
            for param in link.params():
                param.update_rule = RuleOfOptimizer(self)
        if cls.prepare is not _prepare:
            _report.adapted_in('chainer.Optimizer.prepare', cls.prepare)
            self.call_hooks = functools.partial(_call_hooks_and_prepare, self)
            self.prepare()
        elif own:
            _states_of(self)
        return self

    set_up.__doc__ = setup.__doc__
    for name, (owner, method) in _METHODS.items():
        patches.set(owner, name, method)
    patches.set(Optimizer, 'prepare', _prepare)
    patches.set(Optimizer, '_states', property(_get_states))
    patches.set(GradientMethod, 'setup', set_up)
    patches.set(GradientMethod, 'create_update_rule', _create_update_rule)
    # Classes for version 1 do not call the method ``__init__`` of their base.
    patches.set(GradientMethod, '_use_fp32_update', False)
