import subprocess
import sys

import pytest

from chainer_fast.links.caffe.protobuf3 import caffe_pb2


def test_defaults():
    param = caffe_pb2.PoolingParameter()
    assert param.pool == caffe_pb2.PoolingParameter.MAX
    assert (param.stride, param.pad, param.global_pooling) == (1, 0, False)
    assert not param.HasField('stride')
    assert caffe_pb2.FillerParameter().type == 'constant'
    assert caffe_pb2.BatchNormParameter().eps == pytest.approx(1e-5)
    assert caffe_pb2.Phase.Name(caffe_pb2.TEST) == 'TEST'
    assert caffe_pb2.V1LayerParameter.RELU == 18


def test_wire_format():
    # Written down by hand from the definition of the encoding.
    blob = caffe_pb2.BlobProto(num=3, data=[1.], shape={'dim': [300]})
    assert blob.SerializeToString() == (
        b'\x08\x03'                         # field 1, a number
        b'\x2a\x04\x00\x00\x80\x3f'         # field 5, packed floats
        b'\x3a\x04\x0a\x02\xac\x02')        # field 7, a message with a packed number
    # Field 142 is a message; its first field is a number.
    layer = caffe_pb2.LayerParameter.FromString(b'\x0a\x01a\xf2\x08\x02\x08\x02')
    assert layer.name == 'a'
    assert layer.scale_param.axis == 2
    assert caffe_pb2.NetParameter.DESCRIPTOR.fields_by_name['layer'].number == 100


def test_floats_may_be_unpacked():
    blob = caffe_pb2.BlobProto.FromString(
        b'\x2d\x00\x00\x80\x3f\x2d\x00\x00\x00\x40')
    assert list(blob.data) == [1, 2]


def test_does_not_clash_with_caffe():
    # Caffe's own module registers the same names with the pool of all descriptors.
    from google.protobuf import descriptor_pb2, descriptor_pool
    other = descriptor_pb2.FileDescriptorProto(name='caffe.proto', package='caffe')
    other.message_type.add(name='NetParameter')
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(other.SerializeToString())
    assert pool.FindMessageTypeByName('caffe.NetParameter') is not (
        caffe_pb2.NetParameter.DESCRIPTOR)


def run(code):
    return subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, timeout=60)


def test_without_protobuf():
    result = run('''
import sys
sys.modules['google.protobuf'] = None
import chainer_fast.exporters
import chainer_fast.links
from chainer_fast.links.model.vision import vgg
for name in 'links.caffe', 'links.caffe.caffe_function', 'exporters.caffe':
    try:
        __import__('chainer_fast.' + name)
    except ModuleNotFoundError as e:
        assert 'pip install' in str(e), e
    else:
        raise AssertionError(name)
''')
    assert result.returncode == 0, result.stderr


def test_python_implementation():
    # What there is where protobuf has no compiled code.
    result = run('''
import os
os.environ['PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION'] = 'python'
from google.protobuf.internal import api_implementation
from chainer_fast.links.caffe.protobuf3 import caffe_pb2
assert api_implementation.Type() == 'python'
net = caffe_pb2.NetParameter(layer=[{'name': 'a'}])
assert caffe_pb2.NetParameter.FromString(net.SerializeToString()) == net
''')
    assert result.returncode == 0, result.stderr
