"""Type checks of version 1, whose expressions have a method ``eval``."""
from chainer_fast import function
from chainer_fast.legacy import _frames, _report
from chainer_fast.utils import _type_expressions, type_check


def _make_eval(method):
    def evaluate(self):
        if _frames.is_called_by_program():
            _report.adapted('chainer.utils.type_check.Expr.eval')
        return method(self)
    return evaluate


def install(patches):
    """Run checks that need expressions on expressions.

    The arrays themselves, which checks receive first, have no method ``eval()`` and
    cannot be compared with expressions.
    """
    check = function.FunctionAdapter.check_type_forward
    in_need = set()

    def check_type_forward(self, in_types):
        if not type_check.in_light_mode():
            return check(self, in_types)
        if type(self.function) not in in_need:
            try:
                return check(self, in_types)
            except (AttributeError, RuntimeError, TypeError):
                in_need.add(type(self.function))
        # With this, the check is repeated with expressions.
        raise type_check.InvalidType('', '')

    patches.set(function.FunctionAdapter, 'check_type_forward', check_type_forward)
    for cls in vars(_type_expressions).values():
        if isinstance(cls, type) and 'eval' in vars(cls):
            patches.set(cls, 'eval', _make_eval(vars(cls)['eval']))
