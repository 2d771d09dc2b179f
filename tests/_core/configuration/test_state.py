"""State of the current thread in the engine."""
import threading

import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast.variable import Variable
from tests.in_thread import in_thread


class Hook(chainer_fast.FunctionHook):
    name = 'counter'

    def __init__(self):
        self.count = 0

    def forward_preprocess(self, function, in_data):
        self.count += 1


def graph_is_built():
    return F.relu(Variable(np.ones(2, 'f'))).creator is not None


@pytest.fixture
def global_entry():
    """Set an entry of the global configuration for one test."""
    config = chainer_fast.global_config
    saved = {}

    def put(name, value):
        saved.setdefault(name, getattr(config, name))
        setattr(config, name, value)

    yield put
    for name, value in saved.items():
        setattr(config, name, value)


def test_no_graph_in_this_thread_alone():
    with chainer_fast.using_config('enable_backprop', False):
        assert not graph_is_built()
        assert in_thread(graph_is_built)
        with chainer_fast.using_config('enable_backprop', True):
            assert graph_is_built()
        assert not graph_is_built()
    assert graph_is_built()


def test_global_entry_is_seen_by_all_threads(global_entry):
    turn = [threading.Event() for _ in range(3)]
    seen = []

    def other():
        seen.append(graph_is_built())
        turn[0].set()
        turn[1].wait(10)
        # The thread has looked at the entry before it was changed.
        seen.append(graph_is_built())
        chainer_fast.config.enable_backprop = True
        seen.append(graph_is_built())
        del chainer_fast.config.enable_backprop
        seen.append(graph_is_built())
        turn[2].set()

    thread = threading.Thread(target=other)
    thread.start()
    turn[0].wait(10)
    global_entry('enable_backprop', False)
    turn[1].set()
    thread.join(10)
    assert not graph_is_built()
    assert seen == [True, False, True, False]


def test_own_entry_outlives_a_change_of_the_global_one(global_entry):
    with chainer_fast.using_config('enable_backprop', True):
        global_entry('enable_backprop', False)
        assert graph_is_built()
    assert not graph_is_built()


def test_debug_of_this_thread_alone():
    def apply():
        with np.errstate(invalid='ignore'):
            return F.sqrt(Variable(np.array([-1.], 'f')))

    with chainer_fast.using_config('debug', True):
        with pytest.raises(RuntimeError, match='NaN is detected on forward'):
            apply()
        assert np.isnan(in_thread(apply).array)
    assert np.isnan(apply().array)


def test_type_check_can_be_switched_off():
    x = Variable(np.ones(2, 'f'))
    y = Variable(np.ones(2, 'd'))
    with pytest.raises(chainer_fast.utils.type_check.InvalidType):
        x + y
    with chainer_fast.using_config('type_check', False):
        assert (x + y).dtype == np.float64


def test_lazy_sums_are_noted_by_functions():
    x = Variable(np.ones(2, 'f'))
    with chainer_fast.using_config('lazy_grad_sum', True):
        assert (x + x).creator.lazy_grad_sum is True
        assert F.expand_dims(x, 0).creator.lazy_grad_sum is True
    assert (x + x).creator.lazy_grad_sum is False


def test_backward_restores_the_entry_of_the_thread():
    def differentiate():
        y = F.sum(Variable(np.ones(2, 'f')) * 2)
        y.backward()

    config = chainer_fast.config
    differentiate()
    assert config._own('enable_backprop', 'none') == 'none'
    for value in (True, 1, 'yes'):
        config.enable_backprop = value
        try:
            differentiate()
            assert config._own('enable_backprop', 'none') is value
            assert graph_is_built()
        finally:
            del config.enable_backprop
    assert graph_is_built()


def test_hooks_of_this_thread_alone():
    hook = Hook()
    with hook:
        graph_is_built()
        assert hook.count == 1
        in_thread(graph_is_built)
        assert hook.count == 1
        assert chainer_fast.get_function_hooks() == {'counter': hook}
        assert in_thread(chainer_fast.get_function_hooks) == {}
    graph_is_built()
    assert hook.count == 1


def test_record_of_a_thread_goes_with_it():
    def leave_traces():
        chainer_fast.config.enable_backprop = False
        chainer_fast.get_function_hooks()['left'] = Hook()
        return graph_is_built()

    # A later thread may be given the memory of an earlier one.
    for _ in range(20):
        assert in_thread(leave_traces) is False
        assert in_thread(graph_is_built) is True
        assert in_thread(chainer_fast.get_function_hooks) == {}
