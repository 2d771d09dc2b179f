"""Whether cuDNN is used."""
import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast.backends import cuda

pytestmark = pytest.mark.gpu


def convolution(xp):
    return F.convolution_2d(xp.ones((1, 1, 2, 2), 'f'), xp.ones((1, 1, 1, 1), 'f'))


def test_levels(frontend):
    assert cuda.cudnn_enabled is True
    assert chainer_fast.should_use_cudnn('>=auto')
    assert not chainer_fast.should_use_cudnn('==always')
    assert not chainer_fast.should_use_cudnn('>=auto', 91003)
    convolution(cuda.cupy)
    with chainer_fast.using_config('use_cudnn', 'never'):
        convolution(cuda.cupy)
        assert not chainer_fast.should_use_cudnn('>=auto')
    assert len(frontend.ran) == 1
    with chainer_fast.using_config('use_cudnn', 'sometimes'), \
            pytest.raises(ValueError, match="use_cudnn configuration: 'sometimes'"):
        convolution(cuda.cupy)


def test_nothing_is_opened_before_it_is_used(frontend):
    from chainer_fast.backends._cudnn import library
    convolution(np)
    assert library._module is None
    convolution(cuda.cupy)
    assert library._module is frontend


def test_tensor_cores(frontend):
    assert cuda.should_use_cudnn_tensor_core(np.float16)
    assert not cuda.should_use_cudnn_tensor_core(np.dtype('f'))


def test_without(no_frontend):
    assert cuda.cudnn_enabled is False
    assert cuda.get_max_workspace_size() == 0
    convolution(cuda.cupy)
    with chainer_fast.using_config('use_cudnn', 'always'):
        # The processor never has cuDNN, and 'always' means always where it can be.
        convolution(np)
        assert not chainer_fast.should_use_cudnn('==always')
        with pytest.raises(RuntimeError, match='install .nvidia-cudnn-frontend'):
            convolution(cuda.cupy)


def test_too_old(frontend):
    frontend.backend_version = lambda: 8902
    assert cuda.cudnn_enabled is False
    with chainer_fast.using_config('use_cudnn', 'always'), \
            pytest.raises(RuntimeError, match='cuDNN 9 or newer is needed, found 8902'):
        convolution(cuda.cupy)


def test_switched_off(frontend, monkeypatch):
    monkeypatch.setenv('CHAINER_CUDNN', '0')
    assert cuda.cudnn_enabled is False
    with chainer_fast.using_config('use_cudnn', 'always'):
        convolution(cuda.cupy)
    assert not frontend.ran


def test_runtime_info(frontend, capsys):
    chainer_fast.print_runtime_info()
    assert '\ncuDNN: 91002\n' in capsys.readouterr().out


def test_runtime_info_without(no_frontend, capsys):
    chainer_fast.print_runtime_info()
    assert '\ncuDNN: Not Available (' in capsys.readouterr().out
