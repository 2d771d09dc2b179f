"""When calls get plans, and what is refused."""
import re

import numpy
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from tests.graph_optimizations.static_chains import (
    Model,
    Static,
    affine,
    draw,
    every_loop,
    refused,
)

# When it is used
#

def test_a_new_shape_or_type_is_recorded_anew():
    static = Static(every_loop)
    for x in (draw(0, 4, 3), draw(0, 2, 3), draw(0, 4, 3, dtype='d')):
        before = static.seen.count
        for _ in range(4):
            y = static(chainer.Variable(x))
            assert (y.shape, y.dtype) == (x.shape, x.dtype)
        assert static.seen.count == before + 2
    static(chainer.Variable(draw(1, 4, 3)))
    assert static.seen.count == before + 2


def test_settings():
    static = Static(affine)
    x = draw(0, 4, 3)
    for _ in range(3):
        static(x)
    assert static.seen.count == 2
    with chainer.using_config('use_static_graph', False):
        static(x)
    assert static.seen.count == 3
    for _ in range(3):
        with chainer.no_backprop_mode(), chainer.using_config('train', False):
            assert static(x).creator is None
    assert static.seen.count == 5


def test_hooks_and_debug_mode_run_the_functions():
    static = Static(every_loop)
    x = chainer.Variable(draw(0, 4, 3))
    for _ in range(3):
        static(x)
    with chainer.function_hooks.TimerHook() as hook:
        static(x)
    assert len(hook.call_history) > 10
    with chainer.using_config('debug', True):
        y = static(x)
    assert y.creator.label != 'static_graph'
    assert static(x).creator.label == 'static_graph'


def test_debug_mode_in_backward_names_the_function():
    static = Static(lambda chain, x: F.tanh(F.sigmoid(x)))
    x = chainer.Variable(numpy.zeros((2, 2), 'f'))
    for _ in range(3):
        y = static(x)
    y.grad = numpy.full((2, 2), numpy.nan, 'f')
    with chainer.using_config('debug', True), \
            pytest.raises(RuntimeError, match='NaN is detected .* TanhGrad'):
        y.backward()


def test_warnings_of_numpy():
    static = Static(lambda chain, x: F.exp(x) / x)
    for _ in range(3):
        static(draw(0, 4, 3))
    assert static.seen.count == 2
    with pytest.warns(RuntimeWarning, match='divide by zero'):
        y = static(numpy.zeros((4, 3), 'f'))
    assert numpy.isinf(y.array).all()
    static(draw(0, 4, 3))
    assert static.seen.count == 3


def test_replaced_parameters_and_attributes():
    static = Static(lambda chain, x: affine(chain, x) * getattr(chain, 'factor', 1))
    x = draw(0, 4, 3)
    for step in range(12):
        static.w.array = draw(step, 3, 3)
        if step % 4 == 0:
            static.factor = step + 1
        with chainer.using_config('use_static_graph', False):
            expected = static(x)
        numpy.testing.assert_allclose(
            static(x).array, expected.array, rtol=1e-5, atol=1e-6)


def test_other_methods_of_the_function_are_respected(monkeypatch):
    static = Static(affine)
    x = draw(0, 4, 3)
    original = F.connection.linear.LinearFunction.forward
    monkeypatch.setattr(
        F.connection.linear.LinearFunction, 'forward',
        lambda self, inputs: tuple([y + 1 for y in original(self, inputs)]))
    expected = Model(affine)(x)
    for _ in range(4):
        numpy.testing.assert_allclose(static(x).array, expected.array, rtol=1e-6)


# What is refused
#

def of_values(chain, x):
    return F.tanh(x) if x.array[0, 0] > 0 else F.sin(x)


def of_a_number(chain, x):
    return F.tanh(x) * float(x.array[0, 0])


def of_an_array(chain, x):
    return F.tanh(x) + chainer.Variable(x.array * 2)


def of_chance(chain, x):
    return F.tanh(x) * float(numpy.random.rand())


def of_a_foreign_parameter(chain, x):
    return F.sigmoid(x) * FOREIGN


FOREIGN = chainer.Parameter(draw(9, 4, 3))


@pytest.mark.parametrize(('compute', 'reason'), [
    (of_values, 'sin is applied where Tanh was'),
    (of_a_number, r'_ \* .* has other attributes'),
    (of_an_array, r'_ \+ _ has an input that changes'),
    (of_chance, 'random numbers'),
    (of_a_foreign_parameter, r'_ \* _ has an input with a gradient')])
def test_chains_that_are_not_static(compute, reason):
    static = Static(compute)
    for step in range(6):
        x = chainer.Variable(draw(0, 4, 3) * (-1) ** step)
        numpy.random.seed(step)
        y = static(x)
        numpy.random.seed(step)
        numpy.testing.assert_array_equal(y.array, compute(static, x).array)
    assert re.search(reason, refused(static))
    assert static.seen.count == 6


class Constant(chainer.FunctionNode):
    """Without a gradient."""

    def forward(self, inputs):
        return inputs[0] * 0,

    def backward(self, indexes, grads):
        return None,


def test_functions_without_a_gradient():
    static = Static(lambda chain, x: Constant().apply((x,))[0] + x)
    for step in range(5):
        x = chainer.Variable(draw(step, 4, 3))
        F.sum(static(x)).backward()
        numpy.testing.assert_array_equal(x.grad, 1)
    assert 'Constant has no gradient' in refused(static)


def test_arguments_in_dictionaries():
    static = Static(lambda chain, xs: F.tanh(xs['x']))
    for step in range(4):
        x = draw(step // 2, 4, 3)
        numpy.testing.assert_array_equal(static({'x': x}).array, F.tanh(x).array)
    assert 'dictionary' in refused(static)


def test_side_effects():
    def compute(chain, x):
        chain.calls = getattr(chain, 'calls', 0) + 1
        chainer.report({'y': x.sum()}, chain)
        return F.tanh(x)
    static = Static(compute)
    reporter = chainer.Reporter()
    reporter.add_observer('main', static)
    for step in range(1, 5):
        with reporter.scope({}), reporter:
            static(draw(step, 4, 3))
            observed = dict(reporter.observation)
        numpy.testing.assert_allclose(observed['main/y'], draw(step, 4, 3).sum())
        assert static.calls == step
    assert 'main/y' in refused(static)


def test_verbosity(capsys):
    class Loud(Model):
        forward = chainer.static_graph(verbosity_level=2)(Model.forward)
    loud = Loud(of_a_number)
    for step in range(3):
        loud(chainer.Variable(draw(step, 2, 2)))
    assert 'other attributes' in capsys.readouterr().out
