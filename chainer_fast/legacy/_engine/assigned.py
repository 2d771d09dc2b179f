"""Variables that replace parameters, and parameters that are added late.

At an update, version 1 trained whatever a link had under the names of parameters.
"""
import functools
from typing import Any

from chainer_fast import backend
from chainer_fast.initializers import constant
from chainer_fast.legacy import _report
from chainer_fast.legacy._engine import rules
from chainer_fast.link import Link
from chainer_fast.optimizer import GradientMethod
from chainer_fast.variable import Parameter, Variable

_RULES = '_rules_by_path'


def _become_parameter(variable: Any) -> None:
    """Convert a variable to a parameter, which is the same object."""
    variable.__class__ = Parameter
    variable.initializer = constant.NaN(variable.dtype)
    variable._initial_device = backend.get_device_from_array(variable.array)
    variable.update_rule = None


def _assign_as_parameter(assign):
    @functools.wraps(assign)
    def set_attribute(self, name, value: Any, /):
        if type(value) is not Variable or name not in self.__dict__.get('_params', ()):
            assign(self, name, value)
            return
        _report.adapted('variables in the place of parameters')
        _become_parameter(value)
        replaced = self.__dict__.get(name)
        assign(self, name, value)
        if isinstance(replaced, Parameter):
            value.update_rule = replaced.update_rule    # type: ignore
    return set_attribute


def _give_rules(optimizer):
    """Create update rules for parameters that were added after ``setup()``.

    The states are those of the same path, since the optimizer stored them by name.
    """
    known = optimizer.__dict__.setdefault(_RULES, {})
    for path, param in optimizer.target.namedparams():
        if param.update_rule is None:
            _report.adapted('parameters that come after Optimizer.setup')
            param.update_rule = known.get(path) or rules.make_rule(optimizer)
        known[path] = param.update_rule


def _update_late_parameters(update):
    @functools.wraps(update)
    def call(self, lossfun=None, *args, **kwds):
        if lossfun is None:
            if self.target is not None:
                _give_rules(self)
            update(self)
            return

        def loss(*args, **kwds):
            found = lossfun(*args, **kwds)
            _give_rules(self)       # the call may have created parameters
            return found
        update(self, loss if callable(lossfun) else lossfun, *args, **kwds)
    return call


def install(patches):
    """Train variables that are assigned to the names of parameters.

    Parameters and links that are added after ``setup()`` are trained if version 1 is
    named. Current versions do not train them, without an error.
    """
    patches.set(Link, '__setattr__', _assign_as_parameter(Link.__setattr__))
    if 'v1' in patches.named:
        patches.set(
            GradientMethod, 'update', _update_late_parameters(GradientMethod.update))
