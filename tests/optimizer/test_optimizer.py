import copy
import gc
import pickle
import warnings
import weakref

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import optimizer, optimizers, serializer


class Net(chainer.Chain):
    """Two parameters with a part in the loss, one without, one uninitialized."""

    def __init__(self, dtype=np.float32):
        super().__init__()
        with self.init_scope():
            self.w = chainer.Parameter(np.ones(2, dtype))
            self.idle = chainer.Parameter(np.ones(2, dtype))
            self.child = chainer.Link(v=(2,))
        self.child.v.array[...] = 1
        self.child.cleargrads()

    def forward(self, x):
        return chainer.functions.sum(self.w * x) + chainer.functions.sum(
            self.child.v * x)


X = np.array([1, 2], np.float32)


class Store(serializer.Serializer):
    """Keeps values by their paths."""

    def __init__(self, values=None, path=''):
        self.values = {} if values is None else values
        self.path = path

    def __getitem__(self, key):
        return Store(self.values, self.path + key)

    def __call__(self, key, value):
        self.values[self.path + '/' + key] = copy.copy(value)
        return value


class Load(Store, serializer.Deserializer):
    """Gives back what a store has kept."""

    def __getitem__(self, key):
        return Load(self.values, self.path + key)

    def __call__(self, key, value):
        return self.values[self.path + '/' + key]


# -- optimizers


def test_setup():
    base = optimizer.Optimizer()
    assert (base.target, base.t, base.epoch) == (None, 0, 0)
    net = Net()
    base.t, base.epoch = 3, 4
    assert base.setup(net) is base
    assert (base.target, base.t, base.epoch) == (net, 0, 0)
    for wrong in ('xxx', None, [net]):
        with pytest.raises(TypeError, match='optimization target must be a link'):
            base.setup(wrong)
    for method in (base.update, optimizer.GradientMethod().create_update_rule):
        with pytest.raises(NotImplementedError):
            method()


def test_setup_gives_each_parameter_a_rule():
    net = Net()
    sgd = optimizers.SGD(lr=.5).setup(net)
    rules = [param.update_rule for param in net.params()]
    assert len(set(map(id, rules))) == 3
    assert all(rule.hyperparam.parent is sgd.hyperparam for rule in rules)


def test_new_epoch():
    manual, auto = optimizer.Optimizer(), optimizer.Optimizer()
    auto.use_auto_new_epoch = True
    manual.new_epoch()
    auto.new_epoch(auto=True)
    assert manual.epoch == auto.epoch == 1
    with pytest.raises(RuntimeError, match='Fix the updater'):
        manual.new_epoch(auto=True)
    with pytest.raises(RuntimeError, match='duplicated new_epoch'):
        auto.new_epoch()


# -- hooks


def test_hooks_need_setup():
    base = optimizer.Optimizer()
    for call in (lambda: base.add_hook(print), lambda: base.remove_hook('print'),
                 base.call_hooks):
        with pytest.raises(RuntimeError, match='not set up'):
            call()


def holders():
    return [optimizers.SGD().setup(Net()), optimizers.SGD().create_update_rule()]


@pytest.mark.parametrize('index', [0, 1])
def test_names_and_timings_of_hooks(index):
    holder = holders()[index]

    def hook(*args):
        pass

    class Named:
        name = 'own'
        timing = 'post'

        def __call__(self, *args):
            pass

    class Nameless:
        def __call__(self, *args):
            pass

    with pytest.raises(TypeError, match='callable'):
        holder.add_hook(1, timing='never')
    with pytest.raises(ValueError, match='timing must be one of'):
        holder.add_hook(Nameless(), timing='never')
    with pytest.raises(ValueError, match='name of the hook'):
        holder.add_hook(Nameless())
    holder.add_hook(hook)
    holder.add_hook(Named())
    holder.add_hook(Named(), name='third', timing='pre')
    for name in ('hook', 'own'):
        for timing in ('pre', 'post'):
            with pytest.raises(KeyError, match='"%s" already exists' % name):
                holder.add_hook(hook, name, timing)
    hookable = holder._hookable
    assert list(hookable._pre_update_hooks) == ['hook', 'third']
    assert list(hookable._post_update_hooks) == ['own']
    holder.remove_hook('own')
    holder.remove_hook('hook')
    assert list(hookable._pre_update_hooks) == ['third']
    assert not hookable._post_update_hooks
    with pytest.raises(KeyError):
        holder.remove_hook('own')


def test_odd_timing_attribute():
    def hook(*args):
        pass

    hook.timing = 'sometime'
    sgd, rule = holders()
    with pytest.warns(UserWarning, match="defaulting timing to 'pre'"):
        sgd.add_hook(hook)
    assert list(sgd._hookable._pre_update_hooks) == ['hook']
    rule.add_hook(hook)
    assert list(rule._hookable._post_update_hooks) == ['hook']


def test_hooks_around_an_update():
    net = Net()
    sgd = optimizers.SGD(lr=.5).setup(net)
    seen = []

    def hook(opt):
        seen.append((opt.t, net.w.array.tolist(), net.idle.grad.tolist()))

    def each(rule, param):
        assert rule is param.update_rule
        seen.append(param.name)

    each.call_for_each_param = True
    sgd.add_hook(hook)
    sgd.add_hook(hook, 'after', timing='post')
    sgd.add_hook(each)
    sgd.update(net, X)
    names = [param.name for param in net.params()]
    assert seen == [(0, [1, 1], [0, 0]), *names, (1, [.5, 0], [0, 0])]
    with pytest.raises(ValueError, match='either'):
        sgd.call_hooks('auto')


def test_gradients_cleared_by_a_hook_are_zero_for_the_next():
    net = Net()
    sgd = optimizers.SGD(lr=.5).setup(net)
    seen = []
    sgd.add_hook(lambda opt: net.cleargrads(), 'clear')
    sgd.add_hook(lambda opt: seen.append(net.w.grad.tolist()), 'look')
    sgd.update(net, X)
    assert seen == [[0, 0]]
    np.testing.assert_array_equal(net.w.array, [1, 1])


# -- updates


def test_update_with_loss_function():
    net = Net()
    sgd = optimizers.SGD(lr=.5).setup(net)
    for param in net.params():
        param.grad = np.full_like(param.array, 100)
    sgd.update(net, X)
    for param in (net.w, net.child.v):
        np.testing.assert_array_equal(param.array, [.5, 0])
        np.testing.assert_array_equal(param.grad, X)
    np.testing.assert_array_equal(net.idle.array, [1, 1])
    np.testing.assert_array_equal(net.idle.grad, [0, 0])
    assert sgd.t == 1
    sgd.update(lossfun=lambda x, y: net(x * y), x=X, y=X)
    np.testing.assert_array_equal(net.w.grad, [1, 4])


def test_update_takes_gradients_as_they_are():
    net = Net()
    sgd = optimizers.SGD(lr=.5).setup(net)
    net.cleargrads()
    net.w.grad = np.array([2, 4], np.float32)
    sgd.update()
    np.testing.assert_array_equal(net.w.array, [0, -1])
    np.testing.assert_array_equal(net.idle.grad, [0, 0])


def test_update_leaves_no_graph_behind():
    net = Net()
    sgd = optimizers.SGD().setup(net)
    losses = []

    def lossfun():
        loss = net(X)
        losses.append(weakref.ref(loss.creator_node))
        return loss

    gc.disable()
    try:
        sgd.add_hook(lambda opt: losses.append(losses[0]()), 'hook')
        sgd.update(lossfun)
    finally:
        gc.enable()
    assert losses[1] is None


def test_uninitialized_parameter():
    net = Net()
    with net.init_scope():
        net.late = chainer.Parameter()
    sgd = optimizers.SGD().setup(net)
    net.cleargrads()
    sgd.update()
    assert net.late.array is None
    assert net.late.update_rule.t == 1


def test_update_without_cleargrads():
    net = Net()
    sgd = optimizers.SGD().setup(net)
    with pytest.warns(DeprecationWarning, match='use_cleargrads'):
        sgd.use_cleargrads(False)
    with pytest.warns(DeprecationWarning, match='zerograd'):
        sgd.update(net, X)
    np.testing.assert_array_equal(net.w.grad, X)
    np.testing.assert_array_equal(net.idle.grad, [0, 0])


def test_overridden_steps_are_called():
    calls = []

    class Mine(optimizers.SGD):
        def reallocate_cleared_grads(self):
            calls.append('reallocate')
            super().reallocate_cleared_grads()

        def check_nan_in_grads(self):
            calls.append('check')
            super().check_nan_in_grads()

        def call_hooks(self, timing='pre'):
            calls.append(timing)
            super().call_hooks(timing)

        def is_safe_to_update(self):
            calls.append(self.t)
            return False

        def update_loss_scale(self):
            calls.append('scale')

    net = Net()
    Mine().setup(net).update(net, X)
    assert calls == [
        'reallocate', 'check', 'pre', 1, 'reallocate', 'post', 'scale']
    np.testing.assert_array_equal(net.w.array, [1, 1])


def test_steps_replaced_on_the_object_are_called():
    net = Net()
    sgd = optimizers.SGD().setup(net)
    calls = []
    sgd.reallocate_cleared_grads = lambda: calls.append('reallocate')
    sgd.check_nan_in_grads = lambda: calls.append('check')
    sgd.update(net, X)
    assert calls == ['reallocate', 'check', 'reallocate']


def test_gradients_cleared_by_a_rule_are_zero_afterwards():
    net = Net()
    sgd = optimizers.SGD(lr=.5).setup(net)
    net.w.update_rule.add_hook(lambda rule, param: param.cleargrad(), 'clear')
    for _ in range(2):
        sgd.update(net, X)
        np.testing.assert_array_equal(net.w.grad, [0, 0])
        np.testing.assert_array_equal(net.w.array, [1, 1])
        np.testing.assert_array_equal(net.child.v.grad, X)


class Frozen(Net):
    def params(self):       # as programs override it
        return iter([self.w])


def frozen_instance():
    net = Net()
    net.params = lambda: iter([net.w])
    return net


@pytest.mark.parametrize('make', [Frozen, frozen_instance])
def test_link_that_yields_some_of_its_parameters(make):
    net = make()
    sgd = optimizers.SGD(lr=.5).setup(net)
    for param in (net.w, net.idle, net.child.v):
        param.cleargrad()
    net.w.grad = X.copy()
    sgd.update()
    np.testing.assert_array_equal(net.w.array, [.5, 0])
    np.testing.assert_array_equal(net.idle.grad, [0, 0])
    assert net.idle.update_rule is None


def test_update_sees_changes_of_the_link():
    net = Net()
    sgd = optimizers.SGD(lr=.5).setup(net)
    sgd.update(net, X)
    added = chainer.Parameter(np.ones(2, np.float32))
    added.update_rule = sgd.create_update_rule()
    with net.init_scope():
        net.added = added
    del net.idle
    net.child = chainer.Link()
    net.cleargrads()
    added.grad = X.copy()
    sgd.update()
    sgd.update()
    np.testing.assert_array_equal(added.array, [0, -1])
    assert (added.update_rule.t, net.w.update_rule.t) == (2, 3)


# -- loss scaling


def test_settings_of_loss_scaling():
    sgd = optimizers.SGD()
    for interval in (0, -1):
        with pytest.raises(ValueError, match='interval must be'):
            sgd.loss_scaling(interval)
    for scale in (0, -1.):
        with pytest.raises(ValueError, match='loss_scale must be'):
            sgd.loss_scaling(scale=scale)
        with pytest.raises(ValueError, match='loss_scale must be'):
            sgd.set_loss_scale(scale)
    sgd.loss_scaling(interval=2)
    assert sgd._loss_scale == 1
    assert sgd._loss_scaling_multiplier ** 2 == pytest.approx(2)
    sgd.set_loss_scale(4.)
    assert sgd._loss_scale == 4


def test_static_loss_scale():
    net = Net()
    sgd = optimizers.SGD(lr=.5).setup(net)
    sgd.loss_scaling(scale=4.)
    seen = []
    sgd.add_hook(lambda opt: seen.append(net.w.grad.tolist()), 'look')
    sgd.update(net, X)
    assert seen == [[1, 2]]     # not four times as much
    np.testing.assert_array_equal(net.w.grad, X)
    np.testing.assert_array_equal(net.w.array, [.5, 0])


def test_dynamic_loss_scale():
    net = Net()
    sgd = optimizers.SGD(lr=0.).setup(net)
    sgd.loss_scaling(interval=1)
    scales = []
    for _ in range(3):
        sgd.update(net, X)
        scales.append(sgd._loss_scale)
    assert scales == [2, 4, 8]
    sgd.lr = 1.
    bad = np.array([1, np.inf], np.float32)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        sgd.update(net, bad)
    assert [str(each.message) for each in caught] == [
        'Non finite number found in param.grad of %s (iteration: 3, loss_scale: 8.0)'
        % path for path in ('/w', '/child/v')]
    assert not sgd.is_safe_to_update()
    assert sgd.t == 4
    assert net.w.update_rule.t == 3
    np.testing.assert_array_equal(net.w.array, [1, 1])
    assert sgd._loss_scale == 4
    sgd.update(net, X)
    assert sgd.is_safe_to_update()
    assert sgd._loss_scale == 8
    sgd._loss_scale = 60000.
    sgd.update(net, X)
    assert sgd._loss_scale == 65504
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for _ in range(20):
            sgd.update(net, bad)
    assert sgd._loss_scale == 1


def test_dynamic_loss_scale_of_strided_gradients():
    net = Net()
    sgd = optimizers.SGD(lr=0.).setup(net)
    sgd.loss_scaling(interval=1)
    for value, safe in ((0, True), (np.nan, False)):
        net.cleargrads()
        net.w.grad = np.full(4, value, np.float32)[::2]
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            sgd.update()
        assert sgd.is_safe_to_update() is safe


# -- float32 updates of float16


def test_fp32_update():
    for early in (True, False):
        net = Net(np.float16)
        sgd = optimizers.SGD(lr=1.)
        if early:
            sgd.use_fp32_update()
        sgd.setup(net)
        sgd.use_fp32_update()
        step = np.float16(2. ** -12)      # too small to move a float16 away from 1
        for _ in range(4):
            for param in net.params():
                param.grad = np.full(2, step, param.dtype)
            sgd.update()
        assert net.w.dtype == np.float16
        np.testing.assert_array_equal(net.w.array, np.float16(1 - 4 * 2. ** -12))
        assert net.w.update_rule._fp32_param.dtype == np.float32
        # A parameter that is not of float16 is updated as ever.
        assert net.child.v.update_rule._fp32_param is None
        np.testing.assert_array_equal(net.child.v.array, 1 - np.float32(4 * step))


def test_fp32_update_runs_hooks_on_the_twin():
    param = chainer.Parameter(np.ones(2, np.float16))
    rule = optimizers.MomentumSGD(lr=.25).create_update_rule()
    rule.use_fp32_update()
    seen = []
    rule.add_hook(
        lambda r, p: seen.append((p is param, p.dtype, p.grad[0])), 'hook')
    param.grad = np.full(2, 4, np.float16)
    param._loss_scale = 8.
    rule.update(param)
    assert seen == [(False, np.float32, .5)]
    assert rule.state['v'].dtype == np.float32
    assert rule._fp32_param.grad is None
    np.testing.assert_array_equal(param.array, [.875, .875])
    np.testing.assert_array_equal(param.grad, [4, 4])
    rule.remove_hook('hook')
    param.cleargrad()
    rule.update(param)
    assert param.array.dtype == np.float16


def test_fp32_update_of_uninitialized_parameter():
    rule = optimizers.SGD(lr=1.).create_update_rule()
    rule.use_fp32_update()
    param = chainer.Parameter(chainer.initializers.One(np.float16))
    param.cleargrad()
    rule.update(param)
    assert param.array is None
    param.initialize((2,))
    param.grad = np.full(2, .5, np.float16)
    rule.update(param)
    np.testing.assert_array_equal(param.array, [.5, .5])
    rule.use_fp32_update(False)
    rule.update(param)
    np.testing.assert_array_equal(param.array, [0, 0])


# -- serialization


def trained():
    net = Net()
    opt = optimizers.MomentumSGD(lr=.5).setup(net)
    opt.update(net, X)
    opt.new_epoch()
    return opt


def test_serialize():
    store = Store()
    trained().serialize(store)
    assert sorted(store.values) == [
        '/child/v/t', '/child/v/v', '/epoch', '/idle/t', '/idle/v', '/t', '/w/t',
        '/w/v']
    other = optimizers.MomentumSGD().setup(Net())
    other.serialize(Load(store.values))
    rule = other.target.w.update_rule
    assert (other.t, other.epoch, rule.t) == (1, 1, 1)
    np.testing.assert_array_equal(rule.state['v'], -.5 * X)


def test_load_of_what_is_missing():
    store = Store()
    trained().serialize(store)
    del store.values['/w/v']
    other = optimizers.MomentumSGD().setup(Net())
    with pytest.raises(KeyError):
        other.serialize(Load(store.values))
    assert other.target.w.update_rule.state is None
    other.target.disable_update()
    other.serialize(Load(store.values))
    assert other.target.w.update_rule.state is None
    assert other.target.idle.update_rule.state is not None
    store.values['/w/v'] = None
    other.target.enable_update()
    other.serialize(Load(store.values))
    assert other.target.w.update_rule.state is None


def test_parameters_without_rule_are_left_out():
    opt = trained()
    opt.target.w.update_rule = None
    store = Store()
    opt.serialize(store)
    assert not [key for key in store.values if key.startswith('/w')]
    opt.update()


def test_pickle_and_deepcopy():
    opt = trained()
    for other in (pickle.loads(pickle.dumps(opt)), copy.deepcopy(opt)):
        assert other.target is not opt.target
        assert other._hookable.optimizer is other
        rule = other.target.w.update_rule
        assert rule.hyperparam.parent is other.hyperparam
        other.update(other.target, X)
        assert rule.t == 2
    assert opt.t == 1


# -- the rest


@pytest.mark.parametrize('name,args', [
    ('GradientClipping', (1.,)), ('GradientHardClipping', (1., 2.)),
    ('GradientNoise', (1.,)), ('Lasso', (1.,)), ('WeightDecay', (1.,))])
def test_moved_hooks(name, args):
    with pytest.warns(DeprecationWarning, match='optimizer_hooks.' + name):
        hook = getattr(optimizer, name)(*args)
    assert isinstance(hook, getattr(chainer.optimizer_hooks, name))
    assert type(hook).__module__ == 'chainer_fast.optimizer'
    results = []
    for each in (hook, getattr(chainer.optimizer_hooks, name)(*args)):
        np.random.seed(0)
        net = Net()
        sgd = optimizers.SGD(lr=.5).setup(net)
        sgd.add_hook(each)
        sgd.update(net, X)
        results.append(net.w.array)
    np.testing.assert_array_equal(*results)


def test_public_home():
    for name in ('Hyperparameter', 'HyperparameterProxy', 'UpdateRule', 'Optimizer',
                 'GradientMethod', '_Hookable', '_OptimizerHookable'):
        cls = getattr(optimizer, name)
        assert (cls.__module__, cls.__qualname__) == ('chainer_fast.optimizer', name)
