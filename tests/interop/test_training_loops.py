"""One network, trained by PyTorch, by Chainer, and by both in one program.

The losses are equal, and so are the weights on their way through a state_dict.
"""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import optimizers

torch = pytest.importorskip('torch')
bridge = pytest.importorskip('chainer_fast.interop.torch')

STEPS = 20
TOLERANCE = {'float64': 1e-10, 'float32': 1e-4}
# The two add it before and after the correction of the bias.
EPS = 1e-20


class Chained(chainer.Chain):
    """Images of 3 x 8 x 8 to ten classes."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(3, 4, 3, pad=1, nobias=True)
            self.bn = L.BatchNormalization(4, eps=1e-5)
            self.rnn = L.NStepLSTM(1, 32, 6, 0)
            self.head = L.Linear(6, 10)

    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.bn(self.conv(x))), 2)
        # The four rows are a sequence.
        rows = F.reshape(F.transpose(h, (0, 2, 1, 3)), (len(x), 4, -1))[:, :, :]
        rows = F.concat([rows, rows], axis=2)
        hy, _, _ = self.rnn(None, None, F.separate(rows, axis=0))
        return self.head(hy[0])


class Moduled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3, padding=1, bias=False)
        self.bn = torch.nn.BatchNorm2d(4)
        self.rnn = torch.nn.LSTM(32, 6, batch_first=True)
        self.head = torch.nn.Linear(6, 10)

    def forward(self, x):
        h = torch.nn.functional.max_pool2d(torch.relu(self.bn(self.conv(x))), 2)
        rows = h.transpose(1, 2).reshape(len(x), 4, -1)
        rows = torch.cat([rows, rows], 2)
        _, (hy, _) = self.rnn(rows)
        return self.head(hy[0])


class OfBoth(torch.nn.Module):
    """Layers of Chainer's between those of PyTorch."""

    def __init__(self, moduled, chained):
        super().__init__()
        self.conv = moduled.conv
        self.bn = bridge.LinkModule(chained.bn)
        self.rnn = moduled.rnn
        self.head = bridge.LinkModule(chained.head)

    forward = Moduled.forward


def data(dtype):
    rng = np.random.RandomState(0)
    return [(rng.standard_normal((5, 3, 8, 8)).astype(dtype), rng.randint(0, 10, 5))
            for _ in range(STEPS)]


def train_torch(model, optimizer, dtype):
    losses = []
    for x, t in data(dtype):
        optimizer.zero_grad()
        y = model(torch.from_numpy(x))
        loss = torch.nn.functional.cross_entropy(y, torch.from_numpy(t))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def train_chainer(model, optimizer, dtype):
    losses = []
    for x, t in data(dtype):
        model.cleargrads()
        loss = F.softmax_cross_entropy(model(x), t)
        loss.backward()
        optimizer.update()
        losses.append(loss.item())
    return losses


def torchs(name, parameters):
    if name == 'sgd':
        return torch.optim.SGD(parameters, .1, momentum=.9)
    return torch.optim.Adam(parameters, .01, eps=EPS)


def chainers(name, link):
    optimizer = (
        optimizers.MomentumSGD(.1) if name == 'sgd' else optimizers.Adam(.01, eps=EPS))
    return optimizer.setup(link)


def make(dtype):
    """A pair of models with equal weights."""
    torch.manual_seed(1)
    moduled = Moduled().to(getattr(torch, dtype))
    with chainer.using_config('dtype', dtype):
        chained = Chained()
    bridge.load_torch_state_dict(chained, moduled.state_dict())
    return moduled, chained


@pytest.mark.parametrize('dtype', TOLERANCE)
@pytest.mark.parametrize('name', ['sgd', 'adam'])
def test_losses_are_equal(name, dtype):
    losses = {}
    moduled, chained = make(dtype)
    losses['torch'] = train_torch(moduled, torchs(name, moduled.parameters()), dtype)
    losses['chainer'] = train_chainer(chained, chainers(name, chained), dtype)
    after = bridge.torch_state_dict(chained)

    _, chained = make(dtype)
    module = bridge.LinkModule(chained)
    losses['link in torch'] = train_torch(
        module, torchs(name, module.parameters()), dtype)

    moduled2, _ = make(dtype)
    link = bridge.ModuleLink(moduled2)
    losses['module in chainer'] = train_chainer(link, chainers(name, link), dtype)

    mixed = OfBoth(*make(dtype))
    losses['both'] = train_torch(mixed, torchs(name, mixed.parameters()), dtype)

    mixed = bridge.ModuleLink(OfBoth(*make(dtype)))
    losses['both in chainer'] = train_chainer(mixed, chainers(name, mixed), dtype)

    # Gradients by PyTorch, updates by Chainer.
    moduled3, _ = make(dtype)
    link = bridge.ModuleLink(moduled3)
    optimizer = chainers(name, link)
    optimizer.step, optimizer.zero_grad = optimizer.update, link.cleargrads
    losses['updates by chainer'] = train_torch(moduled3, optimizer, dtype)

    first = losses['torch']
    assert first[-1] != first[0]
    tolerance = TOLERANCE[dtype]
    for how, values in losses.items():
        np.testing.assert_allclose(
            values, first, rtol=tolerance, atol=tolerance, err_msg=how)
    # Statistics of the normalization take the same way as the parameters.
    for key in 'bn.running_mean', 'bn.running_var', 'conv.weight':
        np.testing.assert_allclose(
            after[key], moduled.state_dict()[key], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize('dtype', TOLERANCE)
def test_weights_return_bit_by_bit(dtype):
    moduled, chained = make(dtype)
    train_chainer(chained, chainers('adam', chained), dtype)
    state = bridge.torch_state_dict(chained)
    moduled.load_state_dict(state)
    again = Chained() if dtype == 'float32' else make(dtype)[1]
    bridge.load_torch_state_dict(again, moduled.state_dict())
    for (name, one), (_, two) in zip(
            sorted(chained.namedparams()), sorted(again.namedparams()), strict=True):
        assert one.array.tobytes() == two.array.tobytes(), name
    assert chained.bn.avg_var.tobytes() == again.bn.avg_var.tobytes()
    back = bridge.torch_state_dict(again)
    assert set(back) == set(state) == set(moduled.state_dict())
    assert all(torch.equal(back[key], state[key]) for key in state)
