"""Helpers of fixes for parts of calls."""
import ast


def called(plan, node):
    """Return the call of an expression, or None."""
    call = plan.parents.get(node)
    return call if isinstance(call, ast.Call) and call.func is node else None


def named(call, name):
    """Return the keyword argument of a name, or None; the name of ``**`` is None."""
    return next((keyword for keyword in call.keywords if keyword.arg == name), None)


def added(argument):
    """Return a fixer that adds an argument to a call."""
    def fixer(plan, finding, call, scope):
        plan.edits.add_argument(call, argument)
        return True
    return fixer
