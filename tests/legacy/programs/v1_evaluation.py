# Chainer 1.24, Python 3.6, --legacy=v1
"""Models that an evaluator calls without a word on the mode, and with one."""
import shutil
import tempfile

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions


class Net(chainer.Chain):

    def __init__(self, rs):
        super(Net, self).__init__(
            fc=L.Linear(3, 4, initialW=rs.rand(4, 3), nobias=True),
            bn=L.BatchNormalization(4),  # removed: chainer.links.BatchNormalization with a running variance from 0
            out=L.Linear(4, 2, initialW=rs.rand(2, 4)))
        self.train = None

    def __call__(self, x):
        if self.train is None:
            return self.out(F.dropout(self.bn(self.fc(x))))  # removed: chainer.functions.batch_normalization with eps in the running variance
        h = self.bn(self.fc(x), test=not self.train)  # removed: chainer.links.BatchNormalization.__call__(test=); chainer.functions.batch_normalization with eps in the running variance
        return self.out(F.dropout(h, train=self.train))  # removed: chainer.functions.dropout(train=)


class InTestMode(extensions.Evaluator):

    def evaluate(self):
        model = self.get_target('main').predictor
        model.train = False
        result = super(InTestMode, self).evaluate()
        model.train = True
        return result


def run(evaluator, train):
    rs = np.random.RandomState(0)
    np.random.seed(0)
    data = chainer.datasets.TupleDataset(
        rs.rand(8, 3).astype(np.float32), rs.randint(0, 2, 8).astype(np.int32))
    model = L.Classifier(Net(rs))
    model.predictor.train = train
    optimizer = chainer.optimizers.SGD(lr=0.1)
    optimizer.setup(model)
    out = tempfile.mkdtemp()
    updater = training.StandardUpdater(
        chainer.iterators.SerialIterator(data, 4, shuffle=False), optimizer)
    trainer = training.Trainer(updater, (2, 'epoch'), out=out)
    trainer.extend(evaluator(
        chainer.iterators.SerialIterator(data, 4, repeat=False, shuffle=False), model))

    @training.make_extension(trigger=(1, 'iteration'), priority=50)
    def show(trainer):
        print('%.6f' % float(trainer.observation['main/loss'].data))
        if 'validation/main/loss' in trainer.observation:
            print('validation %.6f' % float(trainer.observation['validation/main/loss']))

    trainer.extend(show)
    trainer.run()  # removed: chainer.training.extensions.Evaluator in no mode of its own
    print('%.6f %.6f' % (model.predictor.bn.avg_mean.sum(),
                         model.predictor.bn.avg_var.sum()))
    shutil.rmtree(out)


run(extensions.Evaluator, None)
run(InTestMode, True)
run(InTestMode, None)
