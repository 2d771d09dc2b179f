"""Volatile variables: their results have no graph."""
import operator
import sys
from collections.abc import Callable
from typing import Any

from chainer_fast import configuration
from chainer_fast._core.graphs import graph
from chainer_fast.function_node import FunctionNode
from chainer_fast.legacy import _attributes, _frames, _report, _shortcuts
from chainer_fast.legacy._engine import flags
from chainer_fast.legacy._engine.flags import AUTO, OFF, ON
from chainer_fast.variable import Parameter, Variable

_OPERATORS = tuple(['__%s__' % name for name in (
    'add', 'radd', 'sub', 'rsub', 'mul', 'rmul', 'truediv', 'rtruediv', 'floordiv',
    'rfloordiv', 'pow', 'rpow', 'matmul', 'rmatmul', 'neg')])

_NOT_GIVEN = object()
_own_flag = operator.attrgetter('_volatile')


def _has_other_leaves(node):
    """Return whether a result depends on anything but parameters and constants."""
    seen, functions = set(), [node.creator_node]
    while functions:
        function = functions.pop()
        for below in function.inputs:
            if below.creator_node is None:
                variable = below.get_variable_or_none()
                if below.requires_grad and not isinstance(variable, Parameter):
                    return True
            elif below.creator_node not in seen:
                seen.add(below.creator_node)
                functions.append(below.creator_node)
    return False


def put_flag(variable: Any, flag: flags.Flag) -> None:
    """Set the flag of a variable without making functions check it."""
    variable._volatile = flag


def flag_of(operand: Any) -> flags.Flag:
    """Return the flag of an operand of a function.

    Arrays, parameters and variables that the package itself creates, such as the
    initial states of a recurrent link, are AUTO. Variables that a program creates are
    OFF unless specified otherwise.
    """
    if not isinstance(operand, Variable):
        return AUTO
    flag = _own_flag(operand)
    if flag is None:
        if operand.creator_node is None:
            return AUTO
        # A result from before the first volatile variable.
        flag = OFF if _has_other_leaves(operand.node) else AUTO
        put_flag(operand, flag)
    return flag


def _with_flags(compute: Callable[[], Any], operands):
    """Compute results as the flags of the operands require."""
    flag = flags.aggregate_flags(map(flag_of, operands))
    if flag is ON:
        with configuration.using_config('enable_backprop', False):
            results = compute()
    else:
        results = compute()
    for y in results if isinstance(results, tuple) else (results,):
        if isinstance(y, Variable):
            put_flag(y, flag)
    return results


def _apply(self, inputs):
    inputs = tuple(inputs)
    return _with_flags(lambda: graph.FunctionBase.apply(self, inputs), inputs)


def _make_operator(method):
    def operate(*operands):
        return _with_flags(lambda: method(*operands), operands)
    return operate


class _Volatility:
    """Handling of functions once there is a volatile variable."""

    def __init__(self, patches):
        self.patches = patches
        self.is_installed = False

    def set(self, variable, flag):
        put_flag(variable, flag)
        if flag is not OFF and not self.is_installed:
            self.is_installed = True
            self.install()

    def install(self):
        _shortcuts.put(self.patches, FunctionNode, 'apply', _apply)
        for name in _OPERATORS:
            self.patches.set(Variable, name, _make_operator(getattr(Variable, name)))


def install(patches):
    """Add the argument and the attribute ``volatile`` to variables."""
    volatility = _Volatility(patches)
    initialize = Variable.__init__

    def init(self: Any, data=None, *positional, volatile=_NOT_GIVEN, **options):
        for name, value in zip(('volatile', 'name', 'grad'), positional, strict=False):
            if name == 'volatile':
                volatile = value
            else:
                options[name] = value
        if volatile is _NOT_GIVEN:
            flag = None
        else:
            _report.adapted('chainer.Variable(volatile=)')
            flag = flags.Flag(volatile)
        initialize(self, data, **options)
        if flag is not None:
            volatility.set(self, flag)
        elif type(self) is Variable and options.get('requires_grad', True) and (
                _frames.is_called_by_program()):
            put_flag(self, OFF)

    def get(self):
        """Whether results have no graph: ON, OFF or AUTO."""
        _report.adapted('chainer.Variable.volatile')
        if _own_flag(self) is None and not isinstance(self, Parameter) and (
                self.requires_grad):
            return OFF if self.creator_node is None else flag_of(self)
        return flag_of(self)

    def put(self, value):
        _report.adapted('chainer.Variable.volatile')
        volatility.set(self, flags.Flag(value))

    init.__doc__ = initialize.__doc__
    patches.set(Variable, '__init__', init)
    patches.set(Variable, '_volatile', None)
    patches.set(Variable, 'volatile', property(get, put))
    _attributes.provide(patches, sys.modules['chainer_fast'], 'chainer.%s', {
        'Flag': flags.Flag, 'ON': ON, 'OFF': OFF, 'AUTO': AUTO})
    _attributes.move(patches, {'chainer_fast.flag': flags})


