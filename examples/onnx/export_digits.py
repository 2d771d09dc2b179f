#!/usr/bin/env python
"""Train on digits, write the model as an ONNX file, load it, and continue to train.

    python examples/onnx/export_digits.py
    python examples/onnx/export_digits.py --opset 17

It needs ONNX: pip install onnx. The file is compared with the model, also in ONNX
Runtime if it is installed; no output differs by more than 1e-5. In three seconds on one
core, 88 % of the test digits are right, and 92 % after loading and further training.
It writes digits.onnx and tuned.onnx to --out.
"""
import argparse
import os

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import onnx_chainer
from chainer import training

from chainer_fast.onnx import load  # onnx_chainer itself writes files only


class ConvNet(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(1, 16, 3, pad=1)
            self.conv2 = L.Convolution2D(16, 32, 3, pad=1)
            self.output = L.Linear(32 * 4 * 4, 10)

    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.conv2(F.relu(self.conv1(x)))), 2)
        return self.output(h)


def train(model, examples, epochs, batchsize, device):
    classifier = L.Classifier(model)
    classifier.to_device(device)
    optimizer = chainer.optimizers.Adam().setup(classifier)
    updater = training.updaters.StandardUpdater(
        chainer.iterators.SerialIterator(examples, batchsize), optimizer, device=device)
    trainer = training.Trainer(updater, (epochs, 'epoch'))
    trainer.extend(training.extensions.ProgressBar(update_interval=10))
    trainer.run()
    model.to_device('@numpy')


def predict(model, images):
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        return model(images).array


def accuracy(scores, labels):
    return (scores.argmax(axis=1) == labels).mean()


def parse_args():
    parser = argparse.ArgumentParser(
        description='Chainer example: a model as an ONNX file and back')
    parser.add_argument('--batchsize', '-b', type=int, default=64,
                        help='Number of images in each mini-batch')
    parser.add_argument('--epoch', '-e', type=int, default=8,
                        help='Number of sweeps before the export, and after loading')
    parser.add_argument('--device', '-d', default='-1',
                        help='Device specifier: -1 or @numpy, 0 or @cupy:0, ...')
    parser.add_argument('--out', '-o', default='result/onnx',
                        help='Directory to output the result')
    parser.add_argument('--opset', type=int, help='Version of the operator set')
    parser.add_argument('--seed', type=int, default=0,
                        help='Seed of the weights and of the order of the data')
    return parser.parse_args()


def main():
    from sklearn.datasets import load_digits

    args = parse_args()
    device = chainer.get_device(args.device)
    device.use()
    np.random.seed(args.seed)
    os.makedirs(args.out, exist_ok=True)

    digits = load_digits()
    images = (digits.images / 16).astype(np.float32)[:, None]
    examples = chainer.datasets.TupleDataset(
        images[:1400], digits.target[:1400].astype(np.int32))
    test, labels = images[1400:], digits.target[1400:]

    model = ConvNet()
    train(model, examples, args.epoch, args.batchsize, device)
    scores = predict(model, test)
    print('The model: {:.4f} of the test digits are right'.format(
        accuracy(scores, labels)))

    # The size of the batch gets a name, so that any size will do.
    path = os.path.join(args.out, 'digits.onnx')
    onnx_chainer.export(
        model, test[:1], path, opset_version=args.opset, input_names=['image'],
        output_names=['score'], input_shapes=('batch', 1, 8, 8), no_testcase=True)
    print('Written: {}, {} bytes'.format(path, os.path.getsize(path)))

    loaded = load(path)
    print('The loaded file differs by at most',
          abs(predict(loaded, test) - scores).max())
    try:
        import onnxruntime
    except ImportError:
        print('ONNX Runtime is not installed: pip install onnxruntime')
    else:
        session = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
        run, = session.run(['score'], {'image': test})
        print('ONNX Runtime differs by at most', abs(run - scores).max())

    # A loaded model is a chain with parameters as any other.
    train(loaded, examples, args.epoch, args.batchsize, device)
    print('Trained on after loading: {:.4f} are right'.format(
        accuracy(predict(loaded, test), labels)))
    onnx_chainer.export(
        loaded, test[:1], os.path.join(args.out, 'tuned.onnx'),
        opset_version=args.opset, no_testcase=True)


if __name__ == '__main__':
    main()
