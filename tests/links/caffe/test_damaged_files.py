"""Damaged caffemodels: a clear error or a whole network, in little memory and time."""
import random
import subprocess
import sys
import warnings

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.exporters import caffe
from chainer_fast.links.caffe import CaffeFunction, CaffeModelError
from chainer_fast.links.caffe.caffe_function import caffe_pb

from .nets import blob, layer, load, v1_layer, write

resource = pytest.importorskip('resource')      # limits of POSIX systems


class Model(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(4, 6, 3)
            self.bn = L.BatchNormalization(6)
            self.deconv = L.Deconvolution2D(6, 3, 2)
            self.fc = L.Linear(27, 5)

    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.bn(self.conv(x))), 2)
        return F.softmax(self.fc(F.dropout(self.deconv(h))))


def exported(folder):
    x = chainer.Variable(np.ones((1, 4, 6, 6), 'f'))
    caffe.export(Model(), [x], folder)
    return folder / 'chainer_model.caffemodel'


def old(folder):
    """A network in the form before, of what the exporter has no layers for."""
    kinds = caffe_pb.V1LayerParameter
    path = folder / 'old.caffemodel'
    write(path, old_layers=[
        v1_layer(kinds.CONVOLUTION, 'conv', convolution_param={
            'kernel_size': [2], 'group': 2, 'num_output': 4},
            blobs=[{'num': 4, 'channels': 2, 'height': 2, 'width': 2,
                    'data': range(32)}, {'width': 4, 'data': range(4)}]),
        v1_layer(kinds.SPLIT, 'split', 'y', 'ab'),
        v1_layer(kinds.LRN, 'lrn', 'a', 'c'),
        v1_layer(kinds.ELTWISE, 'sum', 'cb', 'd', eltwise_param={'coeff': [1, 2]}),
        v1_layer(kinds.SLICE, 'slice', 'd', 'ef', slice_param={'slice_point': [3]}),
        v1_layer(kinds.INNER_PRODUCT, 'fc', 'e', 'g', blobs=[
            {'height': 2, 'width': 3, 'data': range(6)}, {'data': [0, 1]}])])
    return path


def damages(content, rng):
    """Draw what can befall the bytes of a file, for ever."""
    while True:
        damaged = bytearray(content)
        kind = rng.randrange(5)
        if kind == 0:
            del damaged[rng.randrange(len(damaged)):]
        elif kind == 1:
            for _ in range(rng.choice([1, 1, 2, 8])):
                damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        elif kind == 2:
            at = rng.randrange(len(damaged))
            damaged[at:at + 8] = rng.randbytes(rng.choice([1, 8, 9]))
        elif kind == 3:
            at = rng.randrange(len(damaged))
            del damaged[at:at + rng.choice([1, 2, 30])]
        else:
            # The largest numbers that the format has.
            at = rng.randrange(len(damaged))
            damaged[at:at + rng.randrange(3)] = b'\xff' * rng.choice([4, 9]) + b'\x01'
        yield bytes(damaged)


def try_out(path, n, seed):
    """Load damaged copies of a file; return how many were refused.

    It limits the memory of the process.
    """
    content = path.read_bytes()
    with open('/proc/self/statm') as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20),) * 2)
    warnings.simplefilter('error')
    warnings.filterwarnings('ignore', 'Skip the layer')
    rng = random.Random(seed)
    refused = 0
    for _, damaged in zip(range(n), damages(content, rng), strict=False):
        path.write_bytes(damaged)
        try:
            net = CaffeFunction(str(path))
        except CaffeModelError as e:
            assert type(e) is CaffeModelError and str(path) in str(e)
            refused += 1
        else:
            assert all(param.array is not None for param in net.params())
            assert len(net.layers) <= len(net.forwards) + len(net.split_map) + 1
    return refused


@pytest.mark.skipif(sys.platform != 'linux', reason='memory in use is read from /proc')
@pytest.mark.parametrize('make', [exported, old])
def test_any_damage(tmp_path, make):
    code = '''if True:
        import pathlib
        import sys
        from tests.links.caffe import test_damaged_files as module
        print(module.try_out(pathlib.Path(sys.argv[1]), 2000, 0))
    '''
    process = subprocess.run(
        [sys.executable, '-c', code, str(make(tmp_path))], capture_output=True,
        text=True, timeout=120)
    assert process.returncode == 0, process.stderr
    assert 500 < int(process.stdout) < 2000


@pytest.mark.parametrize('field', [
    {'name': b'\xff'}, {'type': b'\xff'}, {'bottom': b'\xff'}, {'top': b'\xff'}])
def test_names_that_are_no_text(tmp_path, field):
    (key, value), = field.items()
    fields = {'kind': 'ReLU', 'name': 'l1', 'bottom': 'x', 'top': 'y'}
    fields['kind' if key == 'type' else key] = '@'
    path = tmp_path / 'net.caffemodel'
    name = write(path, [layer(**fields)])
    path.write_bytes(path.read_bytes().replace(b'@', value))
    with pytest.raises(CaffeModelError, match=r"net\.caffemodel: .* b'\\xff'.*UTF-8"):
        CaffeFunction(name)


def test_nothing_in_it(tmp_path):
    """The exporter writes this for a network without layers; Chainer takes it, too."""
    path = tmp_path / 'net.caffemodel'
    path.write_bytes(b'')
    net = CaffeFunction(str(path))
    assert net.layers == [] and list(net.params()) == []


def test_no_layer_in_it(tmp_path):
    path = tmp_path / 'net.caffemodel'
    path.write_bytes(caffe_pb.NetParameter(name='net').SerializeToString())
    with pytest.raises(CaffeModelError, match=r'net.caffemodel \(5 bytes\).* no layer'):
        CaffeFunction(str(path))


FILTER = {'blobs': [blob(4, 1, 2, 2), blob(4)], 'convolution_param': {
    'kernel_size': [2]}}


def changed(**param):
    return {**FILTER, 'convolution_param': {**FILTER['convolution_param'], **param}}


@pytest.mark.parametrize('kind, fields, message', [
    ('InnerProduct', {'blobs': [blob(2, 3, data=range(7)), blob(2)]},
     r'the weight has 7 values, and the shape \(2, 3\) needs 6'),
    ('InnerProduct', {'blobs': [blob(2, 3), blob(3)]}, 'the bias has 3 values'),
    ('InnerProduct', {'blobs': [{'height': -2, 'width': -3, 'data': range(6)}]},
     'an axis of the weight is -2'),
    ('InnerProduct', {'blobs': [{'height': 1 << 30, 'width': 1 << 30, 'data': [1]}],
                      'inner_product_param': {'bias_term': False}}, 'needs 1152921504'),
    ('Convolution', changed(group=3), '4 maps cannot be divided into 3 groups'),
    ('Convolution', changed(group=0), 'into 0 groups'),
    ('Convolution', changed(kernel_size=[3]), 'the weight has 16 values'),
    ('Convolution', changed(kernel_size=[]), 'window has the 0 lengths'),
    ('Convolution', changed(stride=[0]), 'the stride is 0'),
    ('Convolution', changed(dilation=[1, 0]), 'the dilation is 0'),
    ('Deconvolution', changed(group=3), '4 maps'),
    ('LRN', {'lrn_param': {'local_size': 0}}, 'the size of the window is 0'),
    ('Pooling', {}, 'the size of the window is 0'),
    ('Pooling', {'pooling_param': {'kernel_size': 2, 'stride': 0}}, 'the stride is 0'),
    ('BatchNorm', {'blobs': [blob(3), blob(2)]}, 'the variance has 2 values'),
    ('BatchNorm', {'blobs': [blob(3), blob(3), blob(3)]}, 'the scale of the averages'),
    ('Scale', {'blobs': [blob(3, data=[1])]}, 'the weight has 1 values'),
    ('Scale', {'blobs': [blob(3), blob(2)], 'scale_param': {'bias_term': True}},
     'the bias has 2 values'),
])
def test_sizes_that_do_not_fit(tmp_path, kind, fields, message):
    with pytest.raises(CaffeModelError, match=r'layer "l1": .*' + message):
        load(tmp_path / 'net.caffemodel', layer(kind, **fields))


def test_groups_that_would_take_too_much(tmp_path):
    with pytest.raises(CaffeModelError, match='would need 6400000000 bytes'):
        load(tmp_path / 'net.caffemodel', layer('Convolution', blobs=[
            {'num': 40000, 'channels': 1, 'data': bytes(40000)}],
            convolution_param={
                'kernel_size': [1], 'group': 40000, 'bias_term': False}))


def test_errors_of_types_that_a_program_adds(tmp_path, monkeypatch):
    from chainer_fast.links.caffe import caffe_function

    def setup(net, message):
        raise NotImplementedError('not yet')

    monkeypatch.setitem(caffe_function._type_to_method, 'Mine', setup)
    with pytest.raises(NotImplementedError, match='layer "l1": not yet'):
        load(tmp_path / 'net.caffemodel', layer('Mine'))
