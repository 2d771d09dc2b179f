"""Variables in the places of parameters, links that come late, plain attributes."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import legacy, training
from chainer_fast import links as L
from chainer_fast.training import extensions, triggers

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def step(model, optimizer, function):
    model.cleargrads()
    F.sum(function(chainer.Variable(X))).backward()
    optimizer.update()


def linear(n_in, n_out):
    return L.Linear(n_in, n_out, initialW=np.ones((n_out, n_in), np.float32))


@pytest.mark.parametrize('parts', [(), ('v1',)])
@pytest.mark.parametrize('is_late', [False, True])
@pytest.mark.parametrize('name', ['SGD', 'Adam', 'MomentumSGD'])
def test_a_variable_is_trained(enable, tmp_path, parts, is_late, name):
    enable(*parts)
    trained = []
    for make in (chainer.Variable, chainer.Parameter):
        model = chainer.Chain(l=linear(3, 2))
        optimizer = getattr(chainer.optimizers, name)(0.1)
        value = make(np.full((2, 3), 2, np.float32))
        if not is_late or make is chainer.Parameter:
            model.l.W = value
        optimizer.setup(model)
        optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.01))
        if is_late and make is chainer.Variable:
            model.l.W = value
        assert model.l.W is value
        assert [path for path, _ in sorted(model.namedparams())] == ['/l/W', '/l/b']
        for _ in range(3):
            step(model, optimizer, model.l)
        trained.append(value.array)
    np.testing.assert_array_equal(*trained)
    assert np.all(trained[0] != 2)
    chainer.serializers.save_npz(tmp_path / 'model.npz', model)
    model.l.W = chainer.Variable(np.zeros((2, 3), np.float32))
    chainer.serializers.load_npz(tmp_path / 'model.npz', model)
    np.testing.assert_array_equal(model.l.W.array, trained[0])
    assert model.copy().l.W.shape == (2, 3)


def test_other_variables_stay_variables(enable):
    enable('v1')
    link = linear(3, 2)
    link.mean = chainer.Variable(X)
    assert type(link.mean) is chainer.Variable
    assert [path for path, _ in link.namedparams()] == ['/W', '/b']


@pytest.mark.parametrize('name', ['SGD', 'Adam'])
def test_links_that_come_late_are_trained(enable, name):
    enable('v1')
    model = chainer.Chain(a=linear(3, 2), b=linear(2, 1))
    optimizer = getattr(chainer.optimizers, name)(0.5).setup(model)
    step(model, optimizer, lambda x: model.b(model.a(x)))
    model.a = linear(3, 2)
    model.add_link('c', linear(1, 1))
    model.c.add_param('scale', (1,), initializer=1)
    for link in (model.a.W, model.c.W, model.c.scale):
        link.array[...] = 1
    step(model, optimizer, lambda x: F.scale(
        model.c(model.b(model.a(x))), model.c.scale))
    for param in model.params():
        assert param.update_rule.t == optimizer.t == 2
        assert np.all(param.array != 1)


def test_links_that_come_late_in_a_loss(enable):
    enable('v1')
    model = chainer.Chain(a=linear(3, 1))
    optimizer = chainer.optimizers.SGD(1.).setup(model)

    def loss(x):
        if not hasattr(model, 'b'):
            model.add_link('b', linear(1, 1))
        return F.sum(model.b(model.a(x)))
    optimizer.update(loss, X)
    assert model.b.W.array[0, 0] != 1


def test_links_that_come_late_otherwise(enable):
    enable()
    model = chainer.Chain(a=linear(3, 1))
    optimizer = chainer.optimizers.SGD(1.).setup(model)
    model.a = linear(3, 1)
    step(model, optimizer, model.a)
    assert np.all(model.a.W.array == 1)


# ---- attributes

class Net(chainer.Chain):

    def __init__(self, device):
        super().__init__(a=linear(3, 2))
        self.device = device
        self.update_enabled = 'mine'
        self.printable_specs = ()


def test_attributes_of_the_program(enable):
    with pytest.raises(AttributeError):
        Net(-1)
    enable('v5')
    net = Net(-1)
    assert net.device == -1 and net.update_enabled == 'mine'
    assert net.xp is np and net.to_device('@numpy') is net
    net.device = 'cpu'
    assert net.device == 'cpu' and linear(1, 1).device.xp is np
    del net.device
    assert net.device.xp is np
    assert 'Net' in repr(net)
    net._cpu, net._device_id = False, 3
    assert net._cpu


def test_attributes_of_links(enable):
    enable('v1')
    assert L.Convolution2D(1, 1, 1).use_cudnn and not (
        L.Convolution2D(1, 1, 1).deterministic)
    link = L.Convolution2D(1, 1, 1, use_cudnn=False, deterministic=True)
    assert not link.use_cudnn and link.deterministic
    assert L.InceptionBN(1, 1, 1, 1, 1, 1, 'max', 1).train
    link = L.StatefulZoneoutLSTM(1, 1, train=False)
    assert not link.train


def test_hooks_by_name(enable):
    enable('v3')
    optimizer = chainer.optimizers.SGD().setup(linear(1, 1))
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.1))
    for hooks in optimizer._hooks, optimizer._pre_update_hooks:
        assert list(hooks) == ['WeightDecay']
    assert not optimizer._post_update_hooks
    optimizer._hooks = {}
    assert not optimizer._hooks
    rule = optimizer.target.W.update_rule
    rule.add_hook(lambda rule, param: None, name='mine')
    assert list(rule._hooks) == ['mine']


def test_other_attributes(enable):
    enable('v5')
    trigger = triggers.EarlyStoppingTrigger(patience=3)
    assert trigger.patients == 3
    trigger.patients = 4
    assert trigger.patience == 4
    snapshot = extensions.snapshot_object(linear(1, 1), 'name')
    snapshot.default_name = 'other'
    assert snapshot.default_name == 'other'
    assert training.Extension().default_name == 'Extension'


def test_nothing_is_left(enable):
    enable('v1')
    legacy.disable()
    link = linear(1, 1)
    link.W = chainer.Variable(np.ones((1, 1), np.float32))
    assert type(link.W) is chainer.Variable
    assert not hasattr(L.Convolution2D(1, 1, 1), 'use_cudnn')
