"""NumPy warns of floats without a meaning; arrays do not, and leave NumPy as it is."""
import contextvars
import operator
import threading

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast import chainerx
from chainer_fast.functions.activation import sigmoid

USERS = contextvars.ContextVar('users', default='none')


@pytest.fixture(autouse=True)
def errors():
    with np.errstate(all='raise'):
        yield
        # NumPy's settings are the user's again.
        with pytest.raises(FloatingPointError):
            np.log(np.zeros(2))


def array(connected, *numbers):
    x = chainerx.array(np.array(numbers, 'f'))
    return x.require_grad() if connected else x


@pytest.mark.parametrize('connected', [False, True])
@pytest.mark.parametrize('function, expected', [
    (lambda x, zero: x / zero, [-np.inf, np.nan, np.inf]),
    (lambda x, zero: 1 / zero, [np.inf] * 3),
    (lambda x, zero: x / 0, [-np.inf, np.nan, np.inf]),
    (lambda x, zero: x * x - zero, [1, 0, np.inf]),
    (lambda x, zero: x * 1e300, [-np.inf, np.nan, np.inf]),
    (lambda x, zero: x % zero, [np.nan] * 3),
    (lambda x, zero: x ** -2, [1, np.inf, 0]),
    (lambda x, zero: chainerx.log(x), [np.nan, -np.inf, np.log(1e30)]),
    (lambda x, zero: chainerx.sqrt(x), [np.nan, 0, 1e15]),
    (lambda x, zero: chainerx.exp(x), [np.exp(-1), 1, np.inf]),
    (lambda x, zero: chainerx.linear(x[:, None], x[2:][None])[:, 0],
     [-1e30, 0, np.inf]),
    (lambda x, zero: (x * 1e8).astype('float16'), [-np.inf, 0, np.inf]),
    (lambda x, zero: F.log(chainer.Variable(x)).array, [np.nan, -np.inf, np.log(1e30)]),
    (lambda x, zero: F.sum(chainer.Variable(
        chainerx.stack([x * 1e8] * 20)), 0, True).array[0], [-2e9, 0, np.inf]),
    (lambda x, zero: F.matmul(chainer.Variable(x[:, None] * 1e8)[::-1],
                              chainerx.full((1, 1), 10, 'float32')).array[::-1, 0],
     [-1e9, 0, np.inf]),
])
def test_arrays_do_not_warn(function, expected, connected):
    x, zero = array(connected, -1, 0, 1e30), array(connected, 0, 0, 0)
    found = chainerx.to_numpy(function(x, zero).as_grad_stopped())
    np.testing.assert_allclose(found, np.array(expected, found.dtype), rtol=1e-6)


@pytest.mark.parametrize('method', [operator.itruediv, operator.imod])
@pytest.mark.parametrize('divisor', [0, chainerx.zeros(2, 'float32')])
def test_arrays_do_not_warn_in_place(method, divisor):
    x = array(False, 1, np.inf)
    method(x, divisor)
    assert not np.isfinite(chainerx.to_numpy(x)).any()


def test_gradients_do_not_warn():
    x = array(True, 0, 0)
    chainerx.sum(chainerx.sqrt(x)).backward()
    assert chainerx.to_numpy(x.grad).tolist() == [np.inf, np.inf]
    gradient, = chainerx.grad([chainerx.sum(1 / x)], [x])
    assert chainerx.to_numpy(gradient).tolist() == [-np.inf, -np.inf]


def test_functions_of_the_user_warn():
    class Log(chainer.FunctionNode):
        def forward(self, inputs):
            return np.log(inputs[0]),

    with pytest.raises(FloatingPointError):
        Log().apply((array(False, 0, 0),))


@pytest.mark.parametrize('how', ['operator', 'thread', 'function'])
def test_hooks_run_as_the_user(how):
    class Hook(chainer.FunctionHook):
        seen = None

        def forward_postprocess(self, function, in_data):
            self.seen = USERS.get()
            USERS.set('hook')

    hook = Hook()
    token = USERS.set('program')
    try:
        x = array(True, 1, 2)
        if how == 'function':
            function = sigmoid.Sigmoid()
            function.add_hook(hook)
            function.apply((x,))
        else:
            with hook:
                x + x if how == 'operator' else F.sigmoid(chainer.Variable(x))
        assert (hook.seen, USERS.get()) == ('program', 'hook')
    finally:
        USERS.reset(token)


def test_threads_are_silent_at_once():
    failed = []

    def work():
        try:
            with np.errstate(all='raise'):
                x = array(True, *range(1000))
                for _ in range(300):
                    x / 0
        except Exception as e:
            failed.append(e)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
