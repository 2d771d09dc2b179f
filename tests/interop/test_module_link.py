"""Modules of PyTorch as links."""
import copy
import pickle

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import gradient_check, serializers
from chainer_fast import links as L

torch = pytest.importorskip('torch')
bridge = pytest.importorskip('chainer_fast.interop.torch')
ModuleLink = bridge.ModuleLink


def make(dtype=torch.float32):
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Tanh(),
        torch.nn.Linear(4, 2)).to(dtype)


def draw(*shape, dtype='float32'):
    return np.random.RandomState(1).standard_normal(shape).astype(dtype)


def test_parameters_are_the_modules():
    module = make()
    link = ModuleLink(module)
    assert sorted(name for name, _ in link.namedparams()) == [
        '/0/bias', '/0/weight', '/1/bias', '/1/weight', '/3/bias', '/3/weight']
    params = dict(link.namedparams())
    params['/0/weight'].array[:] = 2
    assert (module[0].weight == 2).all()
    with torch.no_grad():
        module[3].bias.fill_(3)
    assert (params['/3/bias'].array == 3).all()
    assert params['/3/bias'].name == '3/bias'
    assert str(link) == 'ModuleLink(%s)' % module
    # A second link of the same module has the same parameters.
    assert dict(ModuleLink(module).namedparams())['/3/bias'] is params['/3/bias']


def test_call_and_gradients():
    module = make()
    link = chainer.Sequential(ModuleLink(module), F.exp)
    x = chainer.Variable(draw(5, 3))
    y = link(x)
    other = make()
    t = torch.from_numpy(draw(5, 3)).requires_grad_()
    expected = other(t).exp()
    np.testing.assert_allclose(y.array, expected.detach(), rtol=1e-6)
    F.sum(y).backward()
    expected.sum().backward()
    np.testing.assert_allclose(x.grad, t.grad, rtol=1e-5, atol=1e-6)
    for name, tensor in other.named_parameters():
        param = dict(link.namedparams())['/0/' + name.replace('.', '/')]
        np.testing.assert_allclose(
            param.grad, tensor.grad, rtol=1e-5, atol=1e-6, err_msg=name)
    np.testing.assert_array_equal(
        module[1].running_mean, other[1].running_mean)
    assert module[1].num_batches_tracked == 1


def test_gradients_can_be_checked():
    link = ModuleLink(make(torch.float64))
    params = list(link.params())
    with chainer.using_config('train', False):
        x, gy = draw(5, 3, dtype='float64'), draw(5, 2, dtype='float64')
        gradient_check.check_backward(link, x, gy, params, dtype='float64')
        gradient_check.check_double_backward(
            lambda x: F.tanh(link(x)), x, gy, x * 2, dtype='float64')


def test_modes():
    class Modes(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.part = torch.nn.Identity()

        def forward(self, x):
            self.seen = self.training, self.part.training, torch.is_grad_enabled()
            return x

    link = ModuleLink(Modes())
    link(np.zeros(1, 'float32'))
    assert link.module.seen == (True, True, True)
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        link(np.zeros(1, 'float32'))
    assert link.module.seen == (False, False, False)
    assert link.module.training and link.module.part.training
    link.module.part.eval()
    link(np.zeros(1, 'float32'))
    assert link.module.seen == (True, False, True)
    with chainer.using_config('train', False):
        link(np.zeros(1, 'float32'))
    assert not link.module.part.training and link.module.training
    link.module.eval()
    link(np.zeros(1, 'float32'))
    assert link.module.seen[:2] == (True, True) and not link.module.training


@pytest.mark.parametrize('save, load', [
    (serializers.save_npz, serializers.load_npz),
    (serializers.save_hdf5, serializers.load_hdf5)])
def test_serializers(save, load, tmp_path):
    link = ModuleLink(make())
    link(draw(5, 3))
    try:
        save(str(tmp_path / 'file'), link)
    except RuntimeError as error:       # without h5py
        assert 'h5py' in str(error)
        return
    other = ModuleLink(make())
    for param in other.params():
        param.array[:] = 0
    load(str(tmp_path / 'file'), other)
    for (name, one), two in zip(
            link.module.state_dict().items(), other.module.state_dict().values(),
            strict=True):
        assert torch.equal(one, two), name
    assert other.module[1].num_batches_tracked == 1


def test_tensors_that_are_replaced_are_saved():
    link = ModuleLink(make())
    link.module[0].weight.data = torch.full((4, 3), 8.)
    link.module[1].running_mean = torch.full((4,), 9.)
    saved = serializers.npz.serialize(link)
    assert (saved['0/weight'] == 8).all() and (saved['1/running_mean'] == 9).all()


def test_names_in_files(tmp_path):
    serializers.save_npz(str(tmp_path / 'x.npz'), ModuleLink(make()))
    with np.load(tmp_path / 'x.npz') as file:
        assert sorted(file) == [
            '0/bias', '0/weight', '1/bias', '1/num_batches_tracked', '1/running_mean',
            '1/running_var', '1/weight', '3/bias', '3/weight']


def make_lazy():
    return torch.nn.Sequential(torch.nn.LazyLinear(4), torch.nn.Linear(4, 2))


def test_lazy_modules(tmp_path):
    link = ModuleLink(make_lazy())
    optimizer = chainer.optimizers.SGD(1).setup(link)
    assert not dict(link.namedparams())['/0/weight'].is_initialized
    F.sum(link(draw(5, 3))).backward()
    param = dict(link.namedparams())['/0/weight']
    assert param.shape == (4, 3) and param.grad.any()
    before = link.module[0].weight.detach().clone()
    optimizer.update()
    assert (link.module[0].weight != before).any()

    serializers.save_npz(tmp_path / 'x.npz', link)
    other = ModuleLink(make_lazy())
    serializers.load_npz(tmp_path / 'x.npz', other)
    assert all(param.grad is None for param in other.params())
    assert torch.equal(other.module[0].weight, link.module[0].weight)
    np.testing.assert_array_equal(
        other(draw(5, 3)).array, link(draw(5, 3)).array)


def test_frozen_parameters():
    module = make()
    module[0].weight.requires_grad_(False)
    link = ModuleLink(module)
    optimizer = chainer.optimizers.SGD(1).setup(link)
    before = module[0].weight.clone()
    F.sum(link(draw(5, 3))).backward()
    optimizer.update()
    assert torch.equal(module[0].weight, before)
    assert '/0/weight' not in dict(link.namedparams())
    array = link.__dict__['0/weight']
    assert array.ctypes.data == module[0].weight.data_ptr()
    target = serializers.npz.serialize(link)
    assert target['0/weight'] is array


def test_copies_and_pickles():
    link = ModuleLink(make())
    link.name = 'net'
    chainer.optimizers.Adam().setup(link)
    for other in (
            copy.deepcopy(link), pickle.loads(pickle.dumps(link)), link.copy('copy')):
        assert other.name == 'net' and other.module is not link.module
        param = dict(other.namedparams())['/0/weight']
        assert param.array.ctypes.data == other.module[0].weight.data_ptr()
        assert isinstance(
            param.update_rule, type(dict(link.namedparams())['/0/weight'].update_rule))
    with pytest.raises(NotImplementedError, match='mode="copy"'):
        chainer.Sequential(link).copy('share')


def test_optimizers_of_torch():
    module = make()
    link = ModuleLink(module)
    optimizer = torch.optim.SGD(module.parameters(), 1)
    bias = module[3].bias.detach().clone()
    for _ in range(2):
        link.cleargrads()
        F.sum(link(draw(5, 3))).backward()
        link.share_grads()
        optimizer.step()
    np.testing.assert_allclose(module[3].bias.detach(), bias - 10, rtol=1e-6)


def test_devices():
    link = ModuleLink(make())
    with pytest.warns(DeprecationWarning):
        link.to_cpu()
    link.to_device('@numpy')
    assert link.device.xp is np
    param = dict(link.namedparams())['/0/weight']
    assert param.array.ctypes.data == link.module[0].weight.data_ptr()


def test_what_is_refused():
    with pytest.raises(TypeError, match='takes a torch.nn.Module'):
        ModuleLink(L.Linear(2, 2))
    module = torch.nn.Module()
    module.name = torch.nn.Parameter(torch.zeros(1))
    with pytest.raises(ValueError, match="'name'.*Sequential"):
        ModuleLink(module)
    with pytest.raises(TypeError, match='bfloat16'):
        ModuleLink(make(torch.bfloat16))
    link = ModuleLink(torch.nn.Embedding(4, 2, sparse=True))
    with pytest.raises(TypeError, match='sparse=False'):
        F.sum(link(np.arange(3))).backward()


def test_parameters_that_are_replaced():
    module = make()
    link = ModuleLink(module)
    torch.nn.utils.parametrizations.weight_norm(module[0])
    with pytest.raises(RuntimeError, match='weight of .*was replaced.*parametrize'):
        link(draw(5, 3))


def test_parameters_are_not_initialized_anew():
    with pytest.raises(NotImplementedError, match='mode="copy"'):
        chainer.Sequential(ModuleLink(make())).copy('init')


def test_static_graph_is_refused():
    class Static(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.part = ModuleLink(make())

        @chainer.static_graph
        def forward(self, x):
            return self.part(x)

    with pytest.raises(RuntimeError, match='outside of the chain'):
        Static()(draw(5, 3))
