"""Variables in the places of parameters, and parameters that come late.

Version 1 trained whatever a link had by the names of parameters when it was updated.
"""
import functools
import typing

from chainer_fast import backend
from chainer_fast.initializers import constant
from chainer_fast.legacy import _report
from chainer_fast.legacy._engine import rules
from chainer_fast.link import Link
from chainer_fast.optimizer import GradientMethod
from chainer_fast.variable import Parameter, Variable

_RULES = '_rules_by_path'


def _become_parameter(variable: typing.Any) -> None:
    """Make a parameter of a variable, which stays the same object."""
    variable.__class__ = Parameter
    variable.initializer = constant.NaN(variable.dtype)
    variable._initial_device = backend.get_device_from_array(variable.array)
    variable.update_rule = None


def _assign_as_parameter(assign):
    @functools.wraps(assign)
    def set_attribute(self, name, value: typing.Any, /):
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
    """Give rules to parameters that came after ``setup()``.

    States are those of the path, as the optimizer had them by name.
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
            _give_rules(self)       # the call may have made parameters
            return found
        update(self, loss if callable(lossfun) else lossfun, *args, **kwds)
    return call


def install(patches):
    """Train what is assigned to the name of a parameter.

    Parameters and links that come after ``setup()`` are trained if version 1 is named:
    today they are left as they are, without an error.
    """
    patches.set(Link, '__setattr__', _assign_as_parameter(Link.__setattr__))
    if 'v1' in patches.named:
        patches.set(
            GradientMethod, 'update', _update_late_parameters(GradientMethod.update))
