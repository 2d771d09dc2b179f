"""Function hooks: what they see, and when."""
import threading

import numpy as np
import pytest

import chainer_fast
from chainer_fast import FunctionHook, FunctionNode, Variable


class Double(FunctionNode):

    def forward(self, inputs):
        return 2 * inputs[0],

    def backward(self, indexes, grad_outputs):
        return Twice().apply(grad_outputs)


class Twice(Double):
    pass


class Log(FunctionHook):
    """Writes down its calls."""

    def __init__(self, name='Log', log=None):
        self.name = name
        self.log = [] if log is None else log

    def _write(self, event, function, *arrays):
        label = None if function is None else function.label
        self.log.append((self.name, event, label, *arrays))

    def added(self, function):
        self._write('added', function)

    def deleted(self, function):
        self._write('deleted', function)

    def forward_preprocess(self, function, in_data):
        self._write('forward', function, in_data)

    def forward_postprocess(self, function, in_data):
        self._write('forward end', function, in_data)

    def backward_preprocess(self, function, in_data, out_grad):
        self._write('backward', function, in_data, out_grad)

    def backward_postprocess(self, function, in_data, out_grad):
        self._write('backward end', function, in_data, out_grad)


def events(log):
    return [entry[1:3] for entry in log]


X = np.array([1., 2.])


def test_hook_of_the_thread_sees_everything():
    x = Variable(X)
    with Log() as hook:
        y, = Double().apply((x,))
        y.grad = np.array([3., 4.])
        y.backward()
    assert events(hook.log) == [
        ('added', None),
        ('forward', 'Double'), ('forward end', 'Double'),
        ('backward', 'Double'),
        ('forward', 'Twice'), ('forward end', 'Twice'),
        ('backward end', 'Double'),
        ('deleted', None)]
    (forward_in,), (backward_in, backward_out) = hook.log[1][3:], hook.log[3][3:]
    assert forward_in == (x.array,)
    assert backward_in == (None,)  # not retained
    assert type(backward_out) is tuple
    np.testing.assert_array_equal(backward_out[0], [3, 4])


def test_hook_sees_chainer_grad():
    x = Variable(X)
    y, = Double().apply((x,))
    with Log() as hook:
        chainer_fast.grad([y], [x])
    assert ('backward', 'Double') in events(hook.log)
    assert ('backward end', 'Double') in events(hook.log)


def test_hooks_by_name():
    hooks = chainer_fast.get_function_hooks()
    assert not hooks
    with Log('a') as a, Log('b') as b:
        assert list(hooks.items()) == [('a', a), ('b', b)]
        with pytest.raises(KeyError, match='a already exists'):
            Log('a').__enter__()
        assert hooks['a'] is a
    assert not hooks
    with pytest.raises(KeyError):
        a.__exit__()


def test_default_name():
    class Nameless(FunctionHook):
        pass

    assert Nameless().name == FunctionHook.name == 'FunctionHook'
    with Nameless():
        Double().apply((X,))


def test_hook_that_cannot_be_added():
    class Fails(FunctionHook):
        def added(self, function):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), Fails():
        pass
    assert not chainer_fast.get_function_hooks()


def test_hook_leaves_after_an_error():
    with pytest.raises(ZeroDivisionError), Log() as hook:
        raise ZeroDivisionError
    assert not chainer_fast.get_function_hooks()
    assert events(hook.log) == [('added', None), ('deleted', None)]


def test_hooks_are_of_one_thread():
    seen = []
    with Log() as hook:
        thread = threading.Thread(target=lambda: (
            seen.append(dict(chainer_fast.get_function_hooks())),
            Double().apply((X,))))
        thread.start()
        thread.join()
    assert seen == [{}]
    assert events(hook.log) == [('added', None), ('deleted', None)]


def test_hook_of_one_function():
    f, hook = Double(), Log()
    f.add_hook(hook)
    y, = f.apply((Variable(X),))
    Double().apply((y,))
    y.grad = X
    y.backward()
    f.delete_hook('Log')
    assert events(hook.log) == [
        ('added', 'Double'), ('forward', 'Double'), ('forward end', 'Double'),
        ('backward', 'Double'), ('backward end', 'Double'), ('deleted', 'Double')]


def test_order_of_hooks():
    log = []
    f = Double()
    f.add_hook(Log('function', log))
    with Log('thread', log):
        f.apply((X,))
    assert [entry[:2] for entry in log if entry[1].startswith('forward')] == [
        ('thread', 'forward'), ('function', 'forward'),
        ('thread', 'forward end'), ('function', 'forward end')]


def test_hooks_of_a_function_by_name():
    f = Double()
    f.add_hook(Log())
    f.add_hook(Log(), 'other')
    assert list(f.local_function_hooks) == ['Log', 'other']
    for arguments, error in (((Log(),), KeyError), ((Log(), 'other'), KeyError),
                             ((object(),), TypeError)):
        with pytest.raises(error):
            f.add_hook(*arguments)
    f.delete_hook('Log')
    with pytest.raises(KeyError):
        f.delete_hook('Log')
    assert list(f.local_function_hooks) == ['other']
