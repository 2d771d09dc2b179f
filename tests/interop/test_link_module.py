"""Links as modules of PyTorch."""
import copy
import pickle

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L

torch = pytest.importorskip('torch')
bridge = pytest.importorskip('chainer_fast.interop.torch')
LinkModule, ModuleLink = bridge.LinkModule, bridge.ModuleLink


class Net(chainer.Chain):
    def __init__(self, n_in=3):
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(n_in, 4)
            self.bn = L.BatchNormalization(4)
            self.l2 = L.Linear(4, 2)

    def forward(self, x):
        return self.l2(F.relu(self.bn(self.l1(x))))


def draw(*shape):
    return np.random.RandomState(1).standard_normal(shape).astype('float32')


def test_parameters_are_the_links():
    net = Net()
    module = LinkModule(net)
    assert module.link is net
    assert '(l1): _Part(Linear)' in str(module)
    named = dict(module.named_parameters())
    assert sorted(named) == [
        'bn.beta', 'bn.gamma', 'l1.W', 'l1.b', 'l2.W', 'l2.b']
    with torch.no_grad():
        named['l1.W'].fill_(2)
    assert (net.l1.W.array == 2).all()
    net.bn.avg_mean[:] = 5
    assert (dict(module.named_buffers())['bn.avg_mean'] == 5).all()
    # A second module of the same link has the same parameters.
    assert dict(LinkModule(net).named_parameters())['l1.W'] is named['l1.W']


def test_call_and_gradients():
    net = Net()
    module = LinkModule(net)
    x = torch.from_numpy(draw(5, 3)).requires_grad_()
    y = module(x)
    v = chainer.Variable(draw(5, 3))
    other = copy.deepcopy(net)
    net.bn.avg_mean[:] = 0
    expected = other(v)
    np.testing.assert_array_equal(y.detach(), expected.array)
    (y ** 2).sum().backward()
    other.cleargrads()
    F.sum(expected ** 2).backward()
    np.testing.assert_allclose(x.grad, v.grad, rtol=1e-4, atol=1e-5)
    for (name, p), (_, q) in zip(
            sorted(net.namedparams()), sorted(other.namedparams()), strict=True):
        np.testing.assert_allclose(p.grad, q.grad, rtol=1e-4, atol=1e-5, err_msg=name)
        tensor = module.get_parameter(name[1:].replace('/', '.'))
        assert tensor.grad.data_ptr() == p.grad.ctypes.data


def test_gradients_can_be_checked():
    module = LinkModule(Net()).double().eval()
    x = torch.from_numpy(draw(5, 3)).double().requires_grad_()
    assert module.link.l1.W.dtype == 'float64'
    assert module.link.bn.avg_var.dtype == 'float64'
    parameters = list(module.parameters())
    assert torch.autograd.gradcheck(lambda *_: module(x), (x, *parameters))
    module.train()
    assert torch.autograd.gradgradcheck(lambda x: torch.tanh(module(x)), x, atol=1e-4)


def test_modes():
    class Modes(chainer.Link):
        def forward(self, x):
            self.seen = chainer.config.train, chainer.config.enable_backprop
            return x

    module = LinkModule(Modes())
    module(torch.zeros(1))
    assert module.link.seen == (True, True)
    module.eval()
    with torch.no_grad():
        module(torch.zeros(1))
    assert module.link.seen == (False, False)
    assert chainer.config.train and chainer.config.enable_backprop


@pytest.mark.parametrize('clear', [
    lambda module: module.zero_grad(),
    lambda module: module.zero_grad(set_to_none=False),
    lambda module: module.link.cleargrads()])
def test_to_clear_one_side_clears_both(clear):
    module = LinkModule(Net())
    x = torch.from_numpy(draw(5, 3))
    for before in True, False:
        module.eval()
        if before:
            clear(module)
        loss = module(x).sum()
        if not before:
            clear(module)
        loss.backward()
        np.testing.assert_array_equal(module.link.l2.b.grad, [5, 5])
        np.testing.assert_array_equal(module.get_parameter('l2.b').grad, [5, 5])
    module(x).sum().backward()
    np.testing.assert_array_equal(module.link.l2.b.grad, [10, 10])


def test_uninitialized_parameters():
    link = Net(None)
    module = LinkModule(link)
    optimizer = torch.optim.SGD(module.parameters(), .1)
    with pytest.raises(ValueError, match='l1.W is not initialized: call the module'):
        module.state_dict()
    loss = module(torch.from_numpy(draw(5, 3))).sum()
    assert module.get_parameter('l1.W').shape == (4, 3)
    before = link.l1.W.array.copy(), link.l2.b.array.copy()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    assert (link.l2.b.array != before[1]).all()
    assert link.l1.W.array.ctypes.data == module.get_parameter('l1.W').data_ptr()

    fresh = LinkModule(Net(None))
    fresh.load_state_dict(module.state_dict())
    for one, two in zip(link.params(), fresh.link.params(), strict=True):
        np.testing.assert_array_equal(one.array, two.array)


def test_state_dict():
    net = Net()
    net.bn.N = 3
    module = LinkModule(net)
    state = module.state_dict()
    assert sorted(state) == [
        'bn.N', 'bn.avg_mean', 'bn.avg_var', 'bn.beta', 'bn.gamma', 'l1.W', 'l1.b',
        'l2.W', 'l2.b']
    other = LinkModule(Net())
    assert other.load_state_dict(state)
    assert other.link.bn.N == 3 and type(other.link.bn.N) is int
    for one, two in zip(net.params(), other.link.params(), strict=True):
        np.testing.assert_array_equal(one.array, two.array)
    del state['bn.N']
    state['bn.M'] = torch.zeros(1)
    with pytest.raises(RuntimeError, match='(?s)bn.N.*bn.M|bn.M.*bn.N'):
        other.load_state_dict(state)


def test_arrays_that_are_replaced():
    net = Net()
    module = LinkModule(net)
    net.l1.W.array = np.full((4, 3), 7, 'float32')
    module.state_dict()
    assert module.get_parameter('l1.W').data_ptr() == net.l1.W.array.ctypes.data
    module.get_parameter('l1.W').data = torch.full((4, 3), 8.)
    y = module.eval()(torch.from_numpy(draw(5, 3)))
    with chainer.using_config('train', False):
        np.testing.assert_array_equal(y.detach(), net(draw(5, 3)).array)
    assert (net.l1.W.array == 8).all()
    assert module.get_parameter('l1.W').data_ptr() == net.l1.W.array.ctypes.data
    module.half()
    assert {p.dtype for p in net.params()} == {np.dtype('float16')}


def test_names_that_modules_have():
    class Odd(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.half = L.Linear(2, 2)
                self.link = L.Linear(2, 2)

        def forward(self, x):
            return self.link(self.half(x))

    module = LinkModule(Odd())
    assert module.link.half is not None
    assert sorted(module.state_dict()) == ['half.W', 'half.b', 'link.W', 'link.b']
    assert module(torch.zeros(1, 2)).shape == (1, 2)


def test_parameters_that_are_shared():
    class Tied(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.a, self.b = L.Linear(2, 2), L.Linear(2, 2)
                self.b.W = self.a.W

        def forward(self, x):
            return self.b(self.a(x))

    module = LinkModule(Tied())
    assert len(list(module.parameters())) == 3
    x = torch.ones(1, 2)
    module(x).sum().backward()
    assert module.get_parameter('a.W').grad is module.get_parameter('b.W').grad


def test_structures():
    link = L.NStepLSTM(1, 3, 2, 0)
    module = LinkModule(link)
    xs = [torch.from_numpy(draw(n, 3)).requires_grad_() for n in (4, 2)]
    hy, cy, ys = module(None, None, xs)
    assert hy.shape == cy.shape == (1, 2, 2) and [len(y) for y in ys] == [4, 2]
    sum(y.sum() for y in ys).backward()
    expected = link(None, None, [x.detach().numpy() for x in xs])
    np.testing.assert_allclose(ys[1].detach(), expected[2][1].array, rtol=1e-5)
    assert all(x.grad is not None for x in xs)


def test_state_from_call_to_call():
    link = L.LSTM(3, 2)
    module = LinkModule(link)
    x = torch.from_numpy(draw(5, 3)).requires_grad_()
    module(x[:3])
    module(x[:3]).sum().backward()
    link.reset_state()
    v = chainer.Variable(draw(5, 3)[:3])
    link(v)
    link.cleargrads()
    F.sum(link(v)).backward()
    np.testing.assert_allclose(x.grad[:3], v.grad, rtol=1e-4)


def test_copies_and_pickles():
    module = LinkModule(Net()).eval()
    for other in copy.deepcopy(module), pickle.loads(pickle.dumps(module)):
        assert not other.training
        assert other.link is not module.link
        assert other.link.l1.W.array.ctypes.data == (
            other.get_parameter('l1.W').data_ptr())
        np.testing.assert_array_equal(
            other.link.l1.W.array, module.link.l1.W.array)


def test_optimizers_of_chainer_and_gradients_of_chainer():
    net = Net()
    module = LinkModule(net)
    optimizer = chainer.optimizers.SGD(1).setup(net)
    before = net.l2.b.array.copy()
    module(torch.from_numpy(draw(5, 3))).sum().backward()
    optimizer.update()
    np.testing.assert_allclose(module.get_parameter('l2.b').detach(), before - 5)

    theirs = torch.optim.SGD(module.parameters(), 1)
    net.cleargrads()
    F.sum(net(draw(5, 3))).backward()
    module.share_grads()
    theirs.step()
    np.testing.assert_allclose(net.l2.b.array, before - 10)


def test_gradients_of_both_libraries_add_up():
    net = Net()
    module = LinkModule(net)
    x = draw(5, 3)
    net.cleargrads()
    F.sum(net(x)).backward()
    module.share_grads()
    module(torch.from_numpy(x)).sum().backward()
    np.testing.assert_array_equal(net.l2.b.grad, [10, 10])
    F.sum(net(x)).backward()        # PyTorch finds what Chainer added
    module(torch.from_numpy(x)).sum().backward()
    np.testing.assert_array_equal(net.l2.b.grad, [20, 20])
    bias = module.get_parameter('l2.b')
    np.testing.assert_array_equal(bias.grad, [20, 20])
    bias.grad = bias.grad / 4       # and what PyTorch replaced stays
    module(torch.from_numpy(x)).sum().backward()
    np.testing.assert_array_equal(net.l2.b.grad, [10, 10])


def test_gradients_that_are_equal_do_not_share_memory():
    class Add(chainer.Link):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.a = chainer.Parameter(draw(3))
                self.b = chainer.Parameter(draw(3))

        def forward(self, x):
            return self.a + self.b + x

    module = LinkModule(Add())
    x = torch.from_numpy(draw(3)).requires_grad_()
    for _ in range(2):
        module(x).backward(torch.ones(3))
    for grad in module.link.a.grad, module.link.b.grad:
        np.testing.assert_array_equal(grad, [2, 2, 2])


def test_the_first_call_in_inference_mode():
    module = LinkModule(Net(None))
    x = torch.from_numpy(draw(5, 3))
    with torch.inference_mode():
        assert not module(x).requires_grad
    module(x).sum().backward()
    np.testing.assert_array_equal(module.link.l2.b.grad, [5, 5])


def test_modules_inside_of_links_inside_of_modules():
    inner = torch.nn.Linear(3, 3).double()
    with chainer.using_config('dtype', 'float64'):
        net = chainer.Sequential(L.Linear(3, 3), F.tanh, ModuleLink(inner), F.tanh)
    module = LinkModule(net)
    x = torch.from_numpy(draw(2, 3)).double().requires_grad_()
    names = [name for name, _ in module.named_parameters()]
    assert names == ['0.W', '0.b', '1.bias', '1.weight']
    assert module.get_parameter('1.weight') is inner.weight
    parameters = list(module.parameters())
    assert torch.autograd.gradcheck(lambda *_: module(x), (x, *parameters))


def test_a_module_that_nobody_keeps():
    link = L.Linear(3, 2)
    loss = LinkModule(link)(torch.ones(1, 3)).sum()
    loss.backward()
    np.testing.assert_array_equal(link.b.grad, [1, 1])


def test_parameters_that_are_replaced():
    x = torch.ones(1, 3)
    module = LinkModule(L.Linear(3, 2))
    with pytest.raises(RuntimeError, match='W of .*was replaced.*functional_call'):
        torch.func.functional_call(module, {'W': torch.zeros(2, 3)}, (x,))
    module(x)
    torch.nn.utils.parametrizations.weight_norm(module, 'W')
    with pytest.raises(RuntimeError, match='W of .*was replaced'):
        module(x)


def test_static_chains():
    class Static(Net):
        @chainer.static_graph
        def forward(self, x):
            return self.l2(F.tanh(self.l1(x)))

    static, plain = Static(), Net()
    plain.forward = lambda x: plain.l2(F.tanh(plain.l1(x)))
    static.copyparams(plain)
    modules = LinkModule(static), LinkModule(plain)
    for _ in range(4):
        x = torch.from_numpy(draw(5, 3))
        grads = []
        for module in modules:
            module.zero_grad()
            module(x).square().sum().backward()
            grads.append(module.get_parameter('l1.W').grad)
        torch.testing.assert_close(*grads)
