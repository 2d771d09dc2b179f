"""Weights of standard links to and from modules: values, shapes, refusals."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L

torch = pytest.importorskip('torch')
bridge = pytest.importorskip('chainer_fast.interop.torch')
nn = torch.nn


def draw(*shape):
    return np.random.RandomState(3).standard_normal(shape).astype('float32')


def sequences(link, xs):
    return F.stack(link(None, list(xs))[-1])


def cells(link, xs):
    return F.stack(link(None, None, list(xs))[-1])


def steps(link, xs):
    link.reset_state()
    return F.stack([link(xs[:, i]) for i in range(xs.shape[1])], 1)


def of_torch(module, xs):
    return module(xs)[0]


def lstm_cell(module, x):
    return module(x, (x[:, :2], x[:, 1:3]))[0]


def stateless(link, x):
    return link(x[:, 1:3], x[:, :2], x)[1]


def recurrent(n_layers, bi, **kwargs):
    return {'num_layers': n_layers, 'bidirectional': bi, 'batch_first': True, **kwargs}


MASK = np.tri(5, dtype=bool)


def attention(*args, **kwargs):
    return nn.MultiheadAttention(*args, batch_first=True, **kwargs)


def attend(link, x):
    return link(x, mask=MASK)


def attend_of_torch(module, x):
    """Its mask says what is left out."""
    return module(x, x, x, attn_mask=torch.from_numpy(~MASK))[0]


IMAGE = 2, 4, 7, 6
CASES = [
    # link, module, shape of the input, call of the link, call of the module
    (lambda: L.Linear(3, 5), lambda: nn.Linear(3, 5), (2, 3)),
    (lambda: L.Linear(3, 5, nobias=True), lambda: nn.Linear(3, 5, False), (2, 3)),
    (lambda: L.Convolution2D(4, 6, (3, 2), (2, 1), (1, 0), groups=2),
     lambda: nn.Conv2d(4, 6, (3, 2), (2, 1), (1, 0), groups=2), IMAGE),
    (lambda: L.Convolution2D(4, 6, 3, nobias=True, dilate=2),
     lambda: nn.Conv2d(4, 6, 3, bias=False, dilation=2), IMAGE),
    (lambda: L.DilatedConvolution2D(4, 6, 3, dilate=2),
     lambda: nn.Conv2d(4, 6, 3, dilation=2), IMAGE),
    (lambda: L.Convolution1D(4, 6, 3), lambda: nn.Conv1d(4, 6, 3), (2, 4, 7)),
    (lambda: L.Convolution3D(4, 6, 2), lambda: nn.Conv3d(4, 6, 2), (2, 4, 3, 4, 5)),
    (lambda: L.ConvolutionND(2, 4, 6, 3), lambda: nn.Conv2d(4, 6, 3), IMAGE),
    (lambda: L.Deconvolution2D(4, 6, 3, 2, 1),
     lambda: nn.ConvTranspose2d(4, 6, 3, 2, 1), IMAGE),
    (lambda: L.Deconvolution2D(4, 6, (3, 2), groups=2),
     lambda: nn.ConvTranspose2d(4, 6, (3, 2), groups=2), IMAGE),
    (lambda: L.Deconvolution1D(4, 6, 3, groups=2),
     lambda: nn.ConvTranspose1d(4, 6, 3, groups=2), (2, 4, 7)),
    (lambda: L.Deconvolution3D(4, 6, 2, nobias=True),
     lambda: nn.ConvTranspose3d(4, 6, 2, bias=False), (2, 4, 3, 4, 5)),
    (lambda: L.DepthwiseConvolution2D(4, 3, (3, 2)),
     lambda: nn.Conv2d(4, 12, (3, 2), groups=4), IMAGE),
    (lambda: L.BatchNormalization(4, eps=1e-5), lambda: nn.BatchNorm2d(4), IMAGE),
    (lambda: L.BatchNormalization(4, eps=1e-5, use_gamma=False, use_beta=False),
     lambda: nn.BatchNorm2d(4, affine=False), IMAGE),
    (lambda: L.BatchRenormalization(4, eps=1e-5), lambda: nn.BatchNorm2d(4), IMAGE),
    (lambda: L.LayerNormalization(5, eps=1e-5), lambda: nn.LayerNorm(5), (2, 5)),
    (lambda: L.GroupNormalization(2, 4), lambda: nn.GroupNorm(2, 4), IMAGE),
    (lambda: L.PReLU(), lambda: nn.PReLU(), IMAGE),
    (lambda: L.PReLU((4,)), lambda: nn.PReLU(4), IMAGE),
    (lambda: L.Bilinear(3, 3, 5), lambda: nn.Bilinear(3, 3, 5), (2, 3),
     lambda link, x: link(x, x * 2), lambda module, x: module(x, x * 2)),
    (lambda: L.Bilinear(3, 3, 5, nobias=True),
     lambda: nn.Bilinear(3, 3, 5, bias=False), (2, 3),
     lambda link, x: link(x, x * 2), lambda module, x: module(x, x * 2)),
    (lambda: L.LSTM(3, 2), lambda: nn.LSTM(3, 2, batch_first=True), (2, 4, 3), steps,
     of_torch),
    (lambda: L.StatelessLSTM(3, 2), lambda: nn.LSTMCell(3, 2), (4, 3), stateless,
     lstm_cell),
    (lambda: L.NStepLSTM(2, 3, 2, 0), lambda: nn.LSTM(3, 2, **recurrent(2, False)),
     (2, 4, 3), cells, of_torch),
    (lambda: L.NStepBiLSTM(2, 3, 2, 0), lambda: nn.LSTM(3, 2, **recurrent(2, True)),
     (2, 4, 3), cells, of_torch),
    (lambda: L.NStepGRU(2, 3, 2, 0), lambda: nn.GRU(3, 2, **recurrent(2, False)),
     (2, 4, 3), sequences, of_torch),
    (lambda: L.NStepBiGRU(1, 3, 2, 0), lambda: nn.GRU(3, 2, **recurrent(1, True)),
     (2, 4, 3), sequences, of_torch),
    (lambda: L.NStepRNNTanh(2, 3, 2, 0), lambda: nn.RNN(3, 2, **recurrent(2, False)),
     (2, 4, 3), sequences, of_torch),
    (lambda: L.NStepBiRNNReLU(2, 3, 2, 0),
     lambda: nn.RNN(3, 2, **recurrent(2, True, nonlinearity='relu')), (2, 4, 3),
     sequences, of_torch),
    (lambda: L.MultiHeadAttention(2, 4), lambda: attention(4, 2), (3, 5, 4), attend,
     attend_of_torch),
    (lambda: L.MultiHeadAttention(2, 4, nobias=True),
     lambda: attention(4, 2, bias=False), (3, 5, 4), attend, attend_of_torch),
    (lambda: L.MultiHeadAttention(2, 4, key_size=3, value_size=2),
     lambda: attention(4, 2, kdim=3, vdim=2), (3, 5, 4),
     lambda link, x: link(x, x[:, :, :3], x[:, :, :2]),
     lambda module, x: module(x, x[:, :, :3], x[:, :, :2])[0]),
    (lambda: chainer.Sequential(L.Linear(3, 4), F.tanh, L.Linear(4, 2)),
     lambda: nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)), (2, 3)),
    # Links of one shape, whose order in the link is not that of the layers.
    (lambda: chainer.Sequential(
        L.Linear(3, 3), F.tanh, L.Linear(3, 3), F.tanh, L.Linear(3, 3)),
     lambda: nn.Sequential(
        nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3)),
     (2, 3)),
]
IDS = ['%d-%s' % (i, type(case[1]()).__name__) for i, case in enumerate(CASES)]


def randomize(module):
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, tensor in module.state_dict().items():
            if name.endswith('num_batches_tracked'):
                tensor.fill_(7)
            else:
                tensor.copy_(torch.rand(tensor.shape, generator=generator) - .3)
            if name.endswith('running_var'):
                tensor.abs_()
    return module.eval()


def outputs(link, module, shape, call=None, call_module=None):
    x = draw(*shape)
    with chainer.using_config('train', False), torch.no_grad():
        y = link(x) if call is None else call(link, x)
        x = torch.from_numpy(x)
        return y.array, (module(x) if call_module is None else call_module(
            module, x)).numpy()


@pytest.mark.parametrize('case', CASES, ids=IDS)
def test_from_torch_and_back(case):
    make_link, make_module, *how = case
    link, module = make_link(), randomize(make_module())
    state = module.state_dict()
    before = {name: tensor.clone() for name, tensor in state.items()}
    bridge.load_torch_state_dict(link, state)
    y, expected = outputs(link, module, *how)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)

    back = bridge.torch_state_dict(link)
    assert sorted(back) == sorted(state)
    with_one_bias = any(name.startswith('bias_hh') for name in back) and (
        isinstance(link, (L.LSTM, L.StatelessLSTM)))
    for name, tensor in back.items():
        assert tensor.dtype == state[name].dtype
        assert torch.equal(state[name], before[name])
        if not (with_one_bias and name.startswith('bias')):
            assert torch.equal(tensor, state[name]), name
    # And into a module with other weights.
    module = make_module().eval()
    module.load_state_dict(back)
    y, expected = outputs(link, module, *how)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize('case', CASES, ids=IDS)
def test_from_chainer_and_back(case):
    make_link, make_module, *_ = case
    link = make_link()
    rng = np.random.RandomState(0)
    for name, param in sorted(link.namedparams()):
        if not name.endswith(('V1', 'V2')):
            param.array[...] = rng.standard_normal(param.shape)
        else:
            param.array[...] = 0
    module = make_module()
    module.load_state_dict(bridge.torch_state_dict(link))
    again = make_link()
    bridge.load_torch_state_dict(again, module.state_dict())
    for (name, one), (_, two) in zip(
            sorted(link.namedparams()), sorted(again.namedparams()), strict=True):
        assert one.array.tobytes() == two.array.tobytes(), name


def embed():
    return L.EmbedID(5, 3), nn.Embedding(5, 3)


def test_embed_id():
    link, module = embed()
    bridge.load_torch_state_dict(link, module.state_dict())
    ids = np.array([4, 0, 2])
    np.testing.assert_array_equal(
        link(ids).array, module(torch.from_numpy(ids)).detach())
    assert list(bridge.torch_state_dict(link)) == ['weight']


@pytest.mark.parametrize('make_link, make_module, shape', [
    (lambda: L.Linear(None, 5), lambda: nn.Linear(3, 5), (2, 3)),
    (lambda: L.Convolution2D(None, 6, 3, groups=2),
     lambda: nn.Conv2d(4, 6, 3, groups=2), IMAGE),
    (lambda: L.Deconvolution2D(None, 6, 3, groups=2),
     lambda: nn.ConvTranspose2d(4, 6, 3, groups=2), IMAGE),
    (lambda: L.DepthwiseConvolution2D(None, 3, 3),
     lambda: nn.Conv2d(4, 12, 3, groups=4), IMAGE),
    (lambda: L.BatchNormalization(axis=(0, 2, 3), eps=1e-5), lambda: nn.BatchNorm2d(4),
     IMAGE),
    (lambda: L.LayerNormalization(eps=1e-5), lambda: nn.LayerNorm(5), (2, 5)),
    (lambda: L.GroupNormalization(2), lambda: nn.GroupNorm(2, 4), IMAGE),
])
def test_uninitialized_links(make_link, make_module, shape):
    link, module = make_link(), randomize(make_module())
    with pytest.raises(ValueError, match='is not initialized: call the link once'):
        bridge.torch_state_dict(link)
    bridge.load_torch_state_dict(link, module.state_dict())
    y, expected = outputs(link, module, shape)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


def test_uninitialized_lstm():
    link, module = L.LSTM(None, 2), randomize(nn.LSTM(3, 2, batch_first=True))
    bridge.load_torch_state_dict(link, module.state_dict())
    y, expected = outputs(link, module, (2, 4, 3), steps, of_torch)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


class Net(chainer.Chain):
    def __init__(self, n=4):
        super().__init__()
        with self.init_scope():
            self.scale = chainer.Parameter(1., (3,))
            self.body = chainer.ChainList(L.Linear(3, n), L.BatchNormalization(n))


class NetModule(nn.Module):
    def __init__(self, n=4):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(3))
        self.body = nn.ModuleList([nn.Linear(3, n), nn.BatchNorm1d(n)])


def snapshot(link):
    return {name: value.copy() for name, value in
            chainer.serializers.npz.serialize(link).items()}


@pytest.mark.parametrize('change, error, message', [
    (lambda state: state.pop('body.1.running_var'), KeyError,
     r"It lacks 'body.1.running_var'.*strict=False"),
    (lambda state: state.update(extra=torch.zeros(1)), KeyError,
     "Nothing in the link is 'extra'"),
    (lambda state: state.update({'body.1.bias': torch.zeros(5)}), ValueError,
     r"'body.1.bias' of the state_dict has the shape \(5,\), and body.1 "
     r'\(BatchNormalization\) takes \(4,\): make the link with the sizes'),
    (lambda state: state.update({'body.1.weight': torch.zeros(4, dtype=torch.cfloat)}),
     TypeError, "'body.1.weight'.*complex64.*float32"),
    (lambda state: state.update({'body.1.weight': 'x'}), TypeError, 'is not a tensor'),
])
def test_all_or_nothing(change, error, message):
    link, state = Net(), dict(randomize(NetModule()).state_dict())
    before = snapshot(link)
    change(state)
    with pytest.raises(error, match=message):
        bridge.load_torch_state_dict(link, state)
    for name, value in snapshot(link).items():
        np.testing.assert_array_equal(value, before[name], err_msg=name)


@pytest.mark.parametrize('tensor', [
    torch.ones(2, 3).to_sparse(), torch.ones(2, 3, device='meta'),
    torch.ones(2, 3).to(torch.float8_e4m3fn)])
def test_tensors_without_an_array(tensor):
    with pytest.raises(TypeError, match="'weight' of the state_dict, a tensor of"):
        bridge.load_torch_state_dict(L.Linear(3, 2, nobias=True), {'weight': tensor})


def test_not_strict_and_old_files():
    link, state = Net(), dict(randomize(NetModule()).state_dict())
    del state['body.1.num_batches_tracked']     # before PyTorch 0.4.1
    bridge.load_torch_state_dict(link, state)
    assert link.body[1].N == 0
    del state['scale']
    state['extra'] = torch.zeros(1)
    link.scale.array[:] = 9
    bridge.load_torch_state_dict(link, state, strict=False)
    assert (link.scale.array == 9).all()


def test_dtypes_of_the_link_stay():
    with chainer.using_config('dtype', 'float16'):
        half = L.Linear(3, 5)
    module = nn.Linear(3, 5)
    for dtype in torch.float64, torch.bfloat16, torch.float16:
        bridge.load_torch_state_dict(half, module.to(dtype).state_dict())
        assert half.W.dtype == 'float16'
        np.testing.assert_allclose(
            half.W.array, module.weight.detach().float(), rtol=1e-3)
    assert bridge.torch_state_dict(half)['weight'].dtype == torch.float16
    # Arrays of NumPy, as files of other formats give them.
    bridge.load_torch_state_dict(half, {
        'weight': np.ones((5, 3)), 'bias': np.zeros(5)})
    assert (half.W.array == 1).all()


def test_what_pytorch_cannot_compute():
    link = L.Bilinear(2, 2, 3)
    link.V1.array[:] = 1
    with pytest.raises(ValueError, match='no linear terms V1 and V2'):
        bridge.torch_state_dict(link)
    link = L.BatchNormalization(4, use_gamma=False)
    assert (bridge.torch_state_dict(link)['weight'] == 1).all()
    bridge.load_torch_state_dict(link, nn.BatchNorm1d(4).state_dict())
    with pytest.raises(ValueError, match='make it with use_gamma=True'):
        bridge.load_torch_state_dict(link, randomize(nn.BatchNorm1d(4)).state_dict())
    with pytest.raises(KeyError, match='links.NStepGRU computes the same'):
        bridge.load_torch_state_dict(L.GRU(3, 2), nn.GRU(3, 2).state_dict())
    with pytest.raises(TypeError, match='call its method state_dict'):
        bridge.load_torch_state_dict(L.Linear(3, 2), nn.Linear(3, 2))


def test_links_of_users():
    class Mine(L.Linear):
        def __init__(self):
            super().__init__(3, 2)
            with self.init_scope():
                self.g = chainer.Parameter(1., (2,))
            self.add_persistent('count', 5)

    state = bridge.torch_state_dict(Mine())
    assert sorted(state) == ['bias', 'count', 'g', 'weight'] and state['count'] == 5
    link = Mine()
    state['count'] += 1
    bridge.load_torch_state_dict(link, state)
    assert link.count == 6


def test_state_dict_is_a_copy():
    link = L.Linear(3, 2)
    state = bridge.torch_state_dict(link)
    state['weight'].zero_()
    assert link.W.array.any()
