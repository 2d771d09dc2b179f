# Chainer 5.4, Python 3.6
"""Reports of hooks into a file, and a sampler called by the name for processors."""
import io
import os
import tempfile

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import function_hooks, link_hooks, training
from chainer.training.extensions.computational_graph import dump_graph  # removed: chainer.training.extensions.computational_graph.dump_graph
from chainer.utils import WalkerAlias

x = np.ones((2, 3), np.float32)
model = L.Linear(3, 2)
report = io.StringIO()
hook = function_hooks.TimerHook()
with hook:
    F.relu(model(x))
hook.print_report(report)  # removed: chainer.function_hooks.TimerHook.print_report(file)
print(len(report.getvalue().splitlines()))
report = io.StringIO()
hook = link_hooks.TimerHook()
with hook:
    model(x)
hook.print_report(report)  # removed: chainer.link_hooks.TimerHook.print_report(file)
print(len(report.getvalue().splitlines()))
print(model._cpu)  # removed: chainer.Link._cpu
np.random.seed(0)
sampler = WalkerAlias([1, 2, 3, 4])
print(sampler.sample_cpu((8,)))  # removed: chainer.utils.WalkerAlias.sample_cpu


class Setup(training.Extension):  # removed: extensions without __call__

    def initialize(self, trainer):
        print('set up %s' % dump_graph.__name__)


optimizer = chainer.optimizers.SGD()
optimizer.setup(L.Classifier(model))
iterator = chainer.iterators.SerialIterator([(x[0], np.int32(0))] * 2, 1)
out = tempfile.mkdtemp()
trainer = training.Trainer(
    training.StandardUpdater(iterator, optimizer), (2, 'iteration'), out=out)
trainer.extend(Setup())
trainer.run()
os.rmdir(out)
print(trainer.updater.iteration)
