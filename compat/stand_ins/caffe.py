"""Networks of Caffe: a small one in its format, and weights for one to export."""
import numpy

from stand_ins import images
from stand_ins.run import Run

_SIDE = 256         # of the pictures that the script crops


def _layer(net, name, kind, bottom, *weights):
    layer = net.layer.add(name=name, type=kind, bottom=[bottom], top=[name])
    for weight in weights:
        blob = layer.blobs.add()
        blob.shape.dim.extend(weight.shape)
        blob.data.extend(weight.ravel())
    return layer


def _caffemodel():
    """Return a file with the layers that the script expects of known networks."""
    from chainer_fast.links.caffe.protobuf3 import caffe_pb2

    stream = numpy.random.RandomState(0)
    net = caffe_pb2.NetParameter(name='small')
    conv = _layer(net, 'conv1', 'Convolution', 'data',
                  stream.normal(size=(4, 3, 32, 32)) * 1e-3, numpy.zeros(4))
    conv.convolution_param.num_output = 4
    conv.convolution_param.kernel_size.append(32)
    conv.convolution_param.stride.append(32)
    _layer(net, 'relu1', 'ReLU', 'conv1')
    for name in 'fc8', 'loss3/classifier':
        full = _layer(net, name, 'InnerProduct', 'relu1',
                      stream.normal(size=(10, 4 * 7 * 7)) * 1e-2, numpy.zeros(10))
        full.inner_product_param.num_output = 10
    _layer(net, 'prob', 'Softmax', 'fc8')
    return net.SerializeToString()


def _evaluated(folder, cache):
    names = ['%d.png' % i for i in range(4)]
    images.put_pictures(folder / 'pictures', names, (_SIDE, _SIDE))
    (folder / 'val.txt').write_text(
        ''.join('%s %d\n' % (name, i) for i, name in enumerate(names)))
    mean = numpy.full((3, _SIDE, _SIDE), 120, numpy.float32)
    numpy.save(folder / 'ilsvrc_2012_mean.npy', mean)
    (folder / 'small.caffemodel').write_bytes(_caffemodel())


def _exported(folder, cache):
    from chainer_fast import serializers
    from chainer_fast.links.model.vision import googlenet

    models = cache / 'pfnet' / 'chainer' / 'models'
    models.mkdir(parents=True)
    serializers.save_npz(
        models / 'bvlc_googlenet.npz', googlenet.GoogLeNet(pretrained_model=None),
        compression=False)


_PROTOBUF = 'google.protobuf'

RUNS = [
    Run('modelzoo/evaluate_caffe_net.py',
        ('val.txt', kind, 'small.caffemodel', '--basepath', 'pictures',
         '--batchsize', '2'),
        _evaluated, needs=('PIL', _PROTOBUF),
        prints=r'mean loss: +\d.*\nmean accuracy: +\d')
    for kind in ('alexnet', 'googlenet', 'resnet')
] + [
    Run('modelzoo/download_model.py', ('alexnet',),
        excused='downloads bvlc_alexnet.caffemodel'),
    Run('modelzoo/download_mean_file.py', excused='downloads ilsvrc_2012_mean.npy'),
    Run('caffe_export/export.py', ('--arch', 'googlenet', '--out-dir', 'exported'),
        _exported, needs=(_PROTOBUF,),
        produces=('exported/chainer_model.prototxt',
                  'exported/chainer_model.caffemodel')),
]
