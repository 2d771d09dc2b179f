"""Calls of loss functions in version 1: with variables, and without a test mode."""
import contextlib
import threading

from chainer_fast.backends.arrays import get_array_types
from chainer_fast.configuration import global_config
from chainer_fast.dataset import convert
from chainer_fast.legacy import _report
from chainer_fast.legacy._engine import flags, volatility
from chainer_fast.training import extensions
from chainer_fast.variable import Variable


class _State(threading.local):
    flag = flags.OFF


_state = _State()


def _as_variable(value):
    if not isinstance(value, get_array_types()):
        return value
    variable = Variable(value)
    volatility.put_flag(variable, _state.flag)
    return variable


def install(patches):
    """Let updaters and Evaluator call models in this way if version 1 is named.

    They create the variables. There was no configuration in which Evaluator could
    change the mode: functions ran as in training unless their own arguments specified
    otherwise.
    """
    if 'v1' not in patches.named:
        return
    as_arguments, evaluate = convert._as_arguments, extensions.Evaluator.evaluate

    def as_variables(batch):
        arguments, options = as_arguments(batch)
        return tuple(map(_as_variable, arguments)), {
            name: _as_variable(value) for name, value in options.items()}

    def evaluate_volatile(self):
        _state.flag = flags.ON
        try:
            return evaluate(self)
        finally:
            _state.flag = flags.OFF

    def mode_of_caller(self):
        _report.adapted('chainer.training.extensions.Evaluator in no mode of its own')
        return contextlib.nullcontext()

    evaluate_volatile.__doc__ = evaluate.__doc__
    patches.set(convert, '_as_arguments', as_variables)
    patches.set(extensions.Evaluator, 'evaluate', evaluate_volatile)
    patches.set(extensions.Evaluator, '_mode', mode_of_caller)
    patches.set(global_config, 'keep_graph_on_report', True)
