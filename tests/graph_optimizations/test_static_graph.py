import copy
import gc
import pickle

import numpy
import pytest

import chainer_fast
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.graph_optimizations import static_graph as module
from chainer_fast.graph_optimizations import static_graph_utilities as utilities

X = numpy.random.RandomState(0).rand(4, 3).astype('f')


class Plain(chainer_fast.Chain):

    def __init__(self):
        super().__init__()
        self.calls = 0
        with self.init_scope():
            rng = numpy.random.RandomState(1)
            self.l1 = L.Linear(3, 5, initialW=rng.rand(5, 3).astype('f'))
            self.l2 = L.Linear(5, 2, initialW=rng.rand(2, 5).astype('f'))

    def forward(self, x):
        self.calls += 1
        return self.l2(F.sigmoid(self.l1(x)))


class Static(Plain):

    @chainer_fast.static_graph
    def forward(self, x):
        return super().forward(x)


def train(chain, x):
    """Return the output and all gradients of one step."""
    var = chainer_fast.Variable(x)
    chain.cleargrads()
    y = chain(var)
    F.sum(y * y).backward()
    return [y.array, var.grad, *[param.grad for param in chain.params()]]


def test_same_results_in_every_call():
    plain, static = Plain(), Static()
    for step in range(3):
        for x in (X, X[:2], X + step):
            for a, b in zip(train(plain, x), train(static, x), strict=True):
                numpy.testing.assert_allclose(a, b, rtol=1e-6)
        for chain in (plain, static):
            for param in chain.params():
                param.array -= 0.1 * param.grad
    assert static.calls == plain.calls


def test_same_results_without_backprop():
    plain, static = Plain(), Static()
    with chainer_fast.no_backprop_mode(), chainer_fast.using_config('train', False):
        for _ in range(3):
            y = static(X)
            assert y.creator is None
            numpy.testing.assert_array_equal(y.array, plain(X).array)


def test_random_functions_draw_anew():
    class Noisy(chainer_fast.Chain):
        @chainer_fast.static_graph
        def forward(self, x):
            return F.dropout(x, .5)

    chain = Noisy()
    numpy.random.seed(0)
    outputs = [chain(X).array for _ in range(3)]
    numpy.random.seed(0)
    for output in outputs:
        numpy.testing.assert_array_equal(output, F.dropout(X, .5).array)


def test_links_with_state():
    class Model(chainer_fast.Chain):
        def __init__(self):
            super().__init__()
            self.calls = 0
            self.add_persistent('mean', numpy.zeros(3, 'f'))

        def plain(self, x):
            self.calls += 1
            rate = 1 / self.calls
            self.mean = (1 - rate) * self.mean + rate * x.mean(axis=0)
            return x - F.broadcast_to(chainer_fast.Variable(self.mean), x.shape)

        static = chainer_fast.static_graph(plain)

    plain, static = Model(), Model()
    for step in range(3):
        a, b = plain.plain(X * step), static.static(X * step)
        numpy.testing.assert_array_equal(a.array, b.array)
    assert plain.calls == static.calls
    numpy.testing.assert_array_equal(plain.mean, static.mean)


def test_attributes_of_the_chain():
    static = Static()
    with chainer_fast.using_config('use_static_graph', False):
        static(X)
        assert not hasattr(static, 'schedule_manager')
    static(X)
    manager, schedule = static.schedule_manager, static.static_schedule
    assert isinstance(manager, module.ScheduleManager)
    assert isinstance(schedule, module.StaticScheduleFunction)
    assert schedule.schedule_manager is manager
    static(X + 1)
    assert static.static_schedule is schedule
    static(X[:1])
    assert static.static_schedule is not schedule
    manager.end_forward()
    assert '(4, 3) float32' in repr(manager)


def test_what_the_decorator_keeps():
    @chainer_fast.static_graph(verbosity_level=1, enable_double_backprop=True)
    def forward(self, x):
        """Documentation."""
    assert forward.__name__ == 'forward'
    assert forward.__doc__ == 'Documentation.'
    with pytest.warns(
            UserWarning, match="unknown argument 'verbosity'.*'verbosity_level'"):
        decorate = chainer_fast.static_graph(verbosity=1)
    assert decorate(forward).__doc__ == 'Documentation.'


def test_verbosity(capsys):
    class Loud(Plain):
        forward = chainer_fast.static_graph(verbosity_level=1)(Plain.forward)

    loud = Loud()
    loud(X)
    assert 'Loud.forward' in capsys.readouterr().out
    loud(X)
    assert capsys.readouterr().out == ''


def test_no_recording_in_tests_if_asked_so():
    class Model(Plain):
        forward = chainer_fast.static_graph(
            force_test_define_by_run=True)(Plain.forward)

    model = Model()
    with chainer_fast.using_config('train', False):
        model(X)
    assert not hasattr(model, 'static_schedule')


def test_cache():
    for minimize, size in ((True, 1), (False, 2)):
        manager = module.ScheduleManager(minimize)
        first = manager.get_schedule([X])
        assert manager.get_schedule([X]) is first
        assert manager.get_schedule([X[:1]]) is not first
        manager = module.ScheduleManager(minimize)
        manager.get_schedule([X])
        with chainer_fast.using_config('train', False):
            manager.get_schedule([X])
        assert len(manager.schedules) == size


def test_copies_and_pickles_record_anew():
    static = Static()
    y = static(X)
    for other in (copy.deepcopy(static), pickle.loads(pickle.dumps(static))):
        assert other.static_schedule.is_empty()
        numpy.testing.assert_array_equal(other(X).array, y.array)


def test_no_garbage():
    static = Static()
    train(static, X)
    gc.collect()
    gc.disable()
    try:
        del static
        assert gc.collect() == 0
    finally:
        gc.enable()


# Recordings
#

def test_a_recording_lists_the_functions():
    static = Static()
    static(X)
    names = [info.func_name for info in static.static_schedule.get_contained_schedule()]
    assert len(names) == 3
    assert 'Sigmoid' in names[1]
    assert names[1] in repr(static.static_schedule)


def test_a_recording_holds_no_arrays():
    static = Static()
    x = X.copy()
    static(x)
    schedule = static.static_schedule
    assert schedule.unique_arrays == [None] * len(schedule.unique_arrays)
    gc.collect()
    del x
    assert schedule.array_infos[0].was_deleted()


def test_a_recording_can_be_repeated():
    plain, static = Plain(), Static()
    static(X)
    for chain in (plain, static):
        chain.l1.W.array = chain.l1.W.array + 1
        chain.l2.b.array += 1
    y, = static.static_schedule.apply((X * 2,))
    numpy.testing.assert_array_equal(y.array, plain(X * 2).array)
    assert static.calls == 1


def test_a_repetition_lets_go_of_arrays_as_early_as_it_can():
    static = Static()
    static(X)
    schedule = static.static_schedule
    steps = schedule.get_contained_schedule()
    assert steps[0].delete_hooks == []
    for before, after in zip(steps, steps[1:], strict=False):
        assert after.delete_hooks == [index for _, index in before.return_hooks]
    schedule.apply((X,))
    assert schedule.unique_arrays == [None] * len(schedule.unique_arrays)


def test_a_repetition_draws_anew():
    class Noisy(chainer_fast.Chain):
        @chainer_fast.static_graph
        def forward(self, x):
            return F.dropout(x, .5)

    chain = Noisy()
    chain(X)
    numpy.random.seed(0)
    outputs = [chain.static_schedule.apply((X,))[0].array for _ in range(2)]
    numpy.random.seed(0)
    for output in outputs:
        numpy.testing.assert_array_equal(output, F.dropout(X, .5).array)


@pytest.mark.parametrize('double', [False, True])
def test_gradient_of_a_recording(double):
    class Model(Plain):
        forward = chainer_fast.static_graph(
            enable_double_backprop=double)(Plain.forward)

    plain, static = Plain(), Model()
    plain.cleargrads()
    static.cleargrads()
    static(X)
    x1, x2 = chainer_fast.Variable(X), chainer_fast.Variable(X)
    y1 = plain(x1)
    y2, = static.static_schedule.apply((x2,))
    for y in (y1, y2):
        F.sum(y * y).backward(enable_double_backprop=double)
    numpy.testing.assert_allclose(x2.grad, x1.grad, rtol=1e-6)
    for a, b in zip(plain.params(), static.params(), strict=True):
        numpy.testing.assert_allclose(b.grad, a.grad, rtol=1e-6)
    if double:
        for x in (x1, x2):
            gx = x.grad_var
            x.cleargrad()
            F.sum(gx * gx).backward()
        numpy.testing.assert_allclose(x2.grad, x1.grad, rtol=1e-5)


def test_a_recording_by_hand_has_no_gradient():
    schedule = module.StaticScheduleFunction(None)
    y = schedule.append_function(lambda inputs: inputs[0] * 2, (), {'inputs': [X]})
    schedule.set_out_variables([chainer_fast.Variable(y)])
    schedule.build_schedule(chainer_fast.Chain(), [X])
    x = chainer_fast.Variable(X + 1)
    y, = schedule.apply((x,))
    numpy.testing.assert_array_equal(y.array, (X + 1) * 2)
    y.grad = y.array
    with pytest.raises(RuntimeError, match='no gradient'):
        y.backward()


def test_nested_inputs_and_outputs():
    class Model(chainer_fast.Chain):
        @chainer_fast.static_graph
        def forward(self, xs, factor, *, y=None):
            return [xs[0] * factor, (xs[1][0] + y,)]

    chain = Model()
    xs = [chainer_fast.Variable(X), (chainer_fast.Variable(X + 1),)]
    for _ in range(2):
        a, (b,) = chain(xs, 3, y=chainer_fast.Variable(X))
        numpy.testing.assert_array_equal(a.array, X * 3)
        numpy.testing.assert_array_equal(b.array, X + 1 + X)
    inputs = [chainer_fast.Variable(x) for x in (X, X + 2, X)]
    a, b = chain.static_schedule.apply(inputs)
    numpy.testing.assert_array_equal(b.array, X + 2 + X)
    F.sum(b).backward()
    numpy.testing.assert_array_equal(inputs[1].grad, numpy.ones_like(X))


# Static code
#

def test_static_code_outside_of_a_chain():
    @chainer_fast.static_code
    def plus(a, b=1):
        """Documentation."""
        return a + b

    assert plus(2, b=3) == 5
    assert (plus.__name__, plus.__doc__) == ('plus', 'Documentation.')
    assert chainer_fast.static_code(func_name='name')(plus)(2) == 3
    with pytest.warns(UserWarning, match="static_code ignores .* 'nonsense'"):
        assert chainer_fast.static_code(plus, nonsense=1)(2) == 3


def test_static_code_in_a_chain():
    class Model(chainer_fast.Chain):
        calls = 0

        @chainer_fast.static_code(func_name='the step')
        def side_effect(self, *, inputs, outputs):
            self.calls += 1
            outputs[0][...] = inputs[0] * 2

        @chainer_fast.static_graph
        def forward(self, x):
            y = numpy.empty_like(x)
            self.side_effect(inputs=[x], outputs=[y])
            return F.relu(chainer_fast.Variable(y))

    chain = Model()
    for step in range(3):
        numpy.testing.assert_array_equal(chain(X + step).array, (X + step) * 2)
        assert chain.calls == step + 1
    first, second = chain.static_schedule.get_contained_schedule()
    assert first.func_name == 'the step'
    assert first.outputs_hooks[0][1] == second.inputs_hooks[0][1]
    y, = chain.static_schedule.apply((X + 5,))
    numpy.testing.assert_array_equal(y.array, (X + 5) * 2)
    assert chain.calls == 4


def test_static_code_in_static_code_is_one_step():
    @chainer_fast.static_code
    def inner(inputs):
        return inputs[0] + 1

    @chainer_fast.static_code
    def outer(inputs):
        return inner(inputs=inputs) * 2

    class Model(chainer_fast.Chain):
        @chainer_fast.static_graph
        def forward(self, x):
            return chainer_fast.Variable(outer(inputs=[x]))

    chain = Model()
    chain(X)
    names = [info.func_name for info in chain.static_schedule.get_contained_schedule()]
    assert names == ['outer']


def test_forward_of_a_function_without_a_schedule():
    function = F.activation.relu.ReLU()
    y, = utilities.static_forward_optimizations(function, (X - .5,))
    numpy.testing.assert_array_equal(y, numpy.maximum(X - .5, 0))


def test_array_info():
    array = X.copy()
    info = module.ArrayInfo(array)
    assert not info.was_deleted()
    new = info.get_new_empty_array()
    assert (new.shape, new.dtype) == (X.shape, X.dtype)
    assert '(4, 3) float32' in repr(info)
    del array
    assert info.was_deleted()


def test_debug_prints(capsys):
    static = Static()
    static(X)
    static.static_schedule.debug_print_unique_arrays_info()
    assert '(4, 3) float32' in capsys.readouterr().out
    static.static_schedule.debug_print_ref_counts()
    assert 'held' not in capsys.readouterr().out


def test_memory_layouts_and_uninitialized_parameters():
    class Model(chainer_fast.Chain):
        @chainer_fast.static_graph
        def forward(self, x, unused):
            return x.as_layout(None) * 2, x

    x = chainer_fast.Variable(numpy.random.rand(2, 3, 4)).as_layout(
        chainer_fast.memory_layouts.CUDNN_CHANNEL_LAST_X)
    chain = Model()
    for _ in range(2):
        y, same = chain(x, chainer_fast.Parameter())
        assert same is x
        numpy.testing.assert_array_equal(y.array, x.as_layout(None).array * 2)
