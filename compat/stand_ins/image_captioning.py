"""Captions of images: a small MSCOCO, and weights for VGG16."""
import json

import numpy

from stand_ins import images, words
from stand_ins.run import Run

_CHANNELS = (64, 128, 256, 512, 512)
_LAYERS = (2, 2, 3, 3, 3)


def _put_vgg16(cache):
    """Write weights to the place of Chainer's converted Caffe models.

    They are almost all zero, to keep the file small: each unit is connected to one unit
    below, and the lowest ones to some pixels.
    """
    arrays = {}

    def add(name, shape, step, value=1):
        weight = numpy.zeros(shape, numpy.float32)
        units = numpy.arange(shape[0])
        centre = (1, 1) if len(shape) == 4 else ()
        weight[(units, units * step % shape[1], *centre)] = value
        arrays[name + '/W'] = weight
        arrays[name + '/b'] = numpy.zeros(shape[0], numpy.float32)

    below = 3
    for block, (channels, layers) in enumerate(zip(_CHANNELS, _LAYERS, strict=True), 1):
        for layer in range(1, layers + 1):
            add('conv%d_%d' % (block, layer), (channels, below, 3, 3), 1)
            below = channels
    add('fc6', (4096, below * 7 * 7), 5)
    add('fc7', (4096, 4096), 1, .01)
    add('fc8', (1000, 4096), 1)
    folder = cache / 'pfnet' / 'chainer' / 'models'
    folder.mkdir(parents=True)
    numpy.savez_compressed(folder / 'VGG_ILSVRC_16_layers.npz', **arrays)


def _put_mscoco(folder, name, count, seed):
    """Write some pictures, with two captions each."""
    pictures = ['%s_%d.jpg' % (name, i) for i in range(count)]
    images.put_pictures(folder / name, pictures, (30, 40), seed)
    captions = [' '.join(text).replace(' .', '.')
                for text in words.sentences(2 * count, seed)]
    (folder / 'annotations').mkdir(exist_ok=True)
    (folder / 'annotations' / ('captions_%s.json' % name)).write_text(json.dumps({
        'images': [{'id': 10 + i, 'file_name': file, 'height': 30, 'width': 40}
                   for i, file in enumerate(pictures)],
        'annotations': [{'id': 500 + i, 'image_id': 10 + i // 2, 'caption': text}
                        for i, text in enumerate(captions)]}))


def _prepare(folder, cache):
    _put_vgg16(cache)
    for seed, (name, count) in enumerate([('train2014', 20), ('val2014', 2)]):
        _put_mscoco(folder / 'data', name, count, seed)


_NEEDS = ('PIL', 'pycocotools')


def _train(kind):
    return Run(
        'image_captioning/train.py',
        ('--rnn', kind, '--max-iters', '2', '--batch-size', '2', '--val-iter', '2',
         '--val-keep-quantity', '2', '--snapshot-iter', '2',
         '--max-caption-length', '8'),
        _prepare, needs=(*_NEEDS, 'matplotlib'), produces=('result/model_2',),
        prints='validation/main/loss', then=(
            Run('image_captioning/predict.py',
                ('--rnn', kind, '--model', 'result/model_2',
                 '--img-dir', 'data/val2014', '--max-caption-length', '5'),
                needs=_NEEDS, prints=r'val2014_0.jpg .*\n.*val2014_1.jpg '),
        ))


RUNS = [
    Run('image_captioning/download.py', excused=(
        'downloads MSCOCO; stand-ins replace it in the other runs')),
    _train('nsteplstm'),
    _train('lstm'),
]
