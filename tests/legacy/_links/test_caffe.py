"""Networks of Caffe in programs of their time."""
import subprocess
import sys

import numpy as np
import pytest

from chainer_fast.links.caffe import CaffeFunction
from chainer_fast.links.caffe.caffe_function import caffe_pb
from tests.links.caffe.nets import blob, layer, v1_layer, write

# Layers, and the numbers that Chainer 1.24 and 2.1 draw while they load them.
LAYERS = {
    'InnerProduct': ([layer('InnerProduct', blobs=[blob(3, 3), blob(3)])], 9),
    'Convolution': ([layer('Convolution', blobs=[blob(4, 2, 3, 3), blob(4)],
                           convolution_param={'kernel_size': [3]})], 72),
    'groups': ([layer('Convolution', blobs=[blob(4, 2, 3, 3), blob(4)],
                      convolution_param={'kernel_size': [3], 'group': 2})], 144),
    'Deconvolution': ([layer('Deconvolution', blobs=[blob(4, 2, 3, 3), blob(2)],
                             convolution_param={'kernel_size': [3]})], 0),
    'BatchNorm': ([layer('BatchNorm', blobs=[blob(3), blob(3), blob(1)])], 0),
    'Scale': ([layer('Scale', blobs=[blob(3)])], 0),
    'two': ([layer('InnerProduct', name, blobs=[blob(1, 3), blob(1)])
             for name in 'ab'], 6),
}


@pytest.mark.parametrize('named', [(), ('v1',), ('v2',), ('v3',), ('v4',), ('v6',)])
@pytest.mark.parametrize('name', LAYERS)
def test_draws(tmp_path, enable, used, name, named):
    layers, n = LAYERS[name]
    path = write(tmp_path / 'net', layers)
    expected = CaffeFunction(path)
    enable(*named)
    np.random.seed(0)
    net = CaffeFunction(path)
    drawn = np.random.randn()
    rng = np.random.RandomState(0)
    rng.standard_normal(n if named in (('v1',), ('v2',)) else 0)
    assert drawn == rng.randn()
    for param, other in zip(net.params(), expected.params(), strict=True):
        np.testing.assert_array_equal(param.array, other.array)
    what = 'chainer.links.caffe.CaffeFunction that draws weights'
    assert (what in used()) == (n > 0 and named in (('v1',), ('v2',)))


def test_draws_of_old_files(tmp_path, enable):
    path = write(tmp_path / 'net', old_layers=[v1_layer(
        caffe_pb.V1LayerParameter.INNER_PRODUCT,
        blobs=[{'height': 2, 'width': 3, 'data': range(6)}, {'data': [0, 1]}])])
    enable('v2')
    np.random.seed(0)
    CaffeFunction(path)
    assert np.random.randn() == np.random.RandomState(0).standard_normal(7)[-1]


PROGRAM = '''
import chainer
import chainer.links as L
print(L.Linear(2, 3).W.shape)
'''


@pytest.mark.parametrize('parts', ['--legacy', '--legacy=v1', '--legacy=v2'])
def test_without_protobuf(tmp_path, parts):
    """A program that uses nothing of Caffe needs no protobuf."""
    program = tmp_path / 'program.py'
    program.write_text(PROGRAM)
    code = '''if True:
        import runpy
        import sys
        sys.modules['google.protobuf'] = None
        sys.argv[:] = ['chainer_fast', *sys.argv[1:]]
        runpy.run_module('chainer_fast', run_name='__main__')
    '''
    process = subprocess.run([sys.executable, '-c', code, parts, str(program)],
                             capture_output=True, text=True)
    assert process.stdout == '(3, 2)\n', process.stderr
    assert process.returncode == 0


def test_import_in_legacy_mode(tmp_path):
    """It is adapted although the mode was there before it."""
    path = write(tmp_path / 'net', LAYERS['InnerProduct'][0])
    code = '''if True:
        import sys
        from chainer_fast import legacy
        legacy.enable('v1')
        assert 'google.protobuf' not in sys.modules
        import numpy as np
        from chainer_fast.functions.caffe import CaffeFunction
        np.random.seed(0)
        net = CaffeFunction(sys.argv[1])
        drawn = np.random.randn()
        assert drawn == np.random.RandomState(0).standard_normal(10)[-1]
        net({'x': np.ones((1, 3), 'f')}, ['y'], (), False)
    '''
    process = subprocess.run([sys.executable, '-c', code, path], capture_output=True,
                             text=True)
    assert process.returncode == 0, process.stderr
