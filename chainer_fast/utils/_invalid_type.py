"""The error of type checks, and the state that its message depends on.

Part of :mod:`chainer_fast.utils.type_check`; import it from there.
"""
import threading


class _State(threading.local):
    light_mode = False
    current_function = None


_thread_local = _State()


class InvalidType(Exception):
    """Error for an input of the wrong type or shape.

    Parameters
    ----------
    expect : str
        Expected condition.
    actual : str
        Actual values.
    msg : str, optional
        Message to use instead of one made from both.
    """

    def __init__(self, expect, actual, msg=None):
        super().__init__(_explain(expect, actual) if msg is None else msg)
        self.expect, self.actual = expect, actual

    def __reduce__(self):
        return type(self), (self.expect, self.actual, self.args[0])


def _explain(expect, actual):
    lines = ['Expect: %s' % expect, 'Actual: %s' % actual]
    function = _thread_local.current_function
    if function is not None:
        lines[:0] = [
            '', 'Invalid operation is performed in: %s (Forward)' % function.label, '']
    return '\n'.join(lines)


InvalidType.__module__ = 'chainer_fast.utils.type_check'
