"""What errors say of PyTorch's own objects where links and arrays are expected."""
import re

import numpy as np
import pytest

torch = pytest.importorskip('torch')

import chainer_fast as chainer  # noqa: E402
from chainer_fast import functions as F  # noqa: E402
from chainer_fast import links as L  # noqa: E402
from chainer_fast.interop.torch import (  # noqa: E402
    LinkModule,
    load_torch_state_dict,
)

IMAGES = torch.zeros(2, 3, 8, 8)
MODULE = torch.nn.Linear(3, 4)


@pytest.mark.parametrize('call', [
    lambda: L.Convolution2D(3, 4, 3)(IMAGES),
    lambda: L.Deconvolution2D(3, 4, 3)(IMAGES),
    lambda: L.ConvolutionND(2, 3, 4, 3)(IMAGES), lambda: L.Linear(192, 4)(IMAGES),
    lambda: L.Classifier(L.Convolution2D(3, 4, 3))(IMAGES, None),
    lambda: F.relu(IMAGES)])
def test_tensors(call):
    with pytest.raises(TypeError) as info:
        call()
    said = '\n'.join([str(info.value), *getattr(info.value, '__notes__', ())])
    assert 'torch.Tensor is a tensor of PyTorch' in said and 'from_torch(x)' in said
    assert 'torch.strided' not in said


@pytest.mark.parametrize('call', [
    lambda: LinkModule(MODULE), lambda: load_torch_state_dict(MODULE, {})])
def test_modules_for_links(call):
    with pytest.raises(TypeError, match='a link of Chainer.*but is Linear') as info:
        call()
    assert isinstance(info.value, AttributeError)


def test_module_for_an_optimizer():
    with pytest.raises(TypeError, match=r'ModuleLink\(module\)'):
        chainer.optimizers.SGD().setup(MODULE)


def test_file_of_torch(tmp_path):
    path = str(tmp_path / 'x.pt')
    torch.save(MODULE.state_dict(), path)
    with pytest.raises(KeyError, match='file of PyTorch.*load_torch_state_dict'):
        chainer.serializers.load_npz(path, L.Linear(3, 4))


@pytest.mark.parametrize('strict', [True, False])
def test_another_head(strict):
    module = torch.nn.Sequential(MODULE, torch.nn.Linear(4, 5))
    link = chainer.Sequential(L.Linear(3, 4), L.Linear(4, 2))
    with pytest.raises(ValueError) as info:
        load_torch_state_dict(link, module.state_dict(), strict=strict)
    cure = re.search(r'strict=False and (\{.*\})', str(info.value))
    assert "not key.startswith('1.')" in cure[1]
    # The cure works as it stands.
    rest = eval(cure[1], {'state_dict': module.state_dict()})
    load_torch_state_dict(link, rest, strict=False)
    np.testing.assert_array_equal(link[0].W.array, MODULE.weight.detach().numpy())
