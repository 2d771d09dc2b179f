"""What is no part of Chainer, beside PyTorch's."""
import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast.link_hooks import WeightNormalization

torch = pytest.importorskip('torch')
bridge = pytest.importorskip('chainer_fast.interop.torch')


def test_mish():
    x = np.linspace(-30, 30, 301, dtype='f')
    tensor = torch.from_numpy(x).requires_grad_()
    expected = torch.nn.functional.mish(tensor)
    expected.sum().backward()
    y = F.mish(variable := chainer_fast.Variable(x))
    F.sum(y).backward()
    np.testing.assert_allclose(y.array, expected.detach(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(variable.grad, tensor.grad, rtol=1e-4, atol=1e-6)


def test_weight_normalization():
    layer = L.Convolution2D(3, 4, 3).add_hook(hook := WeightNormalization())
    module = torch.nn.utils.parametrizations.weight_norm(torch.nn.Conv2d(3, 4, 3))
    weight = module.parametrizations.weight
    layer.W_g.array[...] = weight.original0.detach().numpy().ravel()
    layer.W.array[...] = weight.original1.detach().numpy()
    layer.b.array[...] = module.bias.detach().numpy()
    x = np.random.RandomState(0).uniform(-1, 1, (2, 3, 6, 6)).astype('f')
    np.testing.assert_allclose(
        layer(x).array, module(torch.from_numpy(x)).detach(), rtol=1e-4, atol=1e-5)
    loss = F.sum(hook.normalize_weight(layer) ** 3)
    layer.cleargrads()
    loss.backward()
    (module.weight ** 3).sum().backward()
    np.testing.assert_allclose(
        layer.W_g.grad, weight.original0.grad.numpy().ravel(), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        layer.W.grad, weight.original1.grad.numpy(), rtol=1e-4, atol=1e-4)


def test_attention_with_sizes_of_the_first_call():
    link = L.MultiHeadAttention(2, None, 4)
    module = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    bridge.load_torch_state_dict(link, module.state_dict())
    np.testing.assert_array_equal(
        link.key.W.array, module.in_proj_weight.detach()[4:8])
    link = L.MultiHeadAttention(2, None, 4)
    x = np.ones((1, 2, 4), 'f')
    link(x, x[:, :, :3])
    assert sorted(bridge.torch_state_dict(link)) == [
        'in_proj_bias', 'k_proj_weight', 'out_proj.bias', 'out_proj.weight',
        'q_proj_weight', 'v_proj_weight']
