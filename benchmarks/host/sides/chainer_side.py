"""The steps of the host's benchmark: those of GPUs, and static ones."""
import chainer_fast as chainer
import chainer_fast.functions as F
from benchmarks.gpu.sides import chainer_side
from benchmarks.gpu.sides.chainer_side import networks


class StaticLoss(chainer.Chain):
    """The loss of a classifier, forward and backward recorded."""

    def __init__(self, model):
        super().__init__()
        with self.init_scope():
            self.model = model

    @chainer.static_graph
    def forward(self, x, t):
        return F.softmax_cross_entropy(self.model(x), t)


class Side(chainer_side.Side):
    """The steps on a device.

    Attributes
    ----------
    chain : Chain
        The static chain of the step made last.
    """

    def small_static(self, chain):
        def make(*args):
            self.chain = chainer_side.StaticSmall(*args)
            return self.chain
        return self.small(chain, make)

    def perceptron_static(self, batch, sizes):
        return self._static(
            networks.Perceptron(self.numbers, sizes), chainer.optimizers.Adam(),
            self.numbers.input(batch, sizes[0]), self.numbers.labels(batch, sizes[-1]))

    def resnet50_static(self, batch, image, width, blocks, classes):
        return self._static(
            networks.ResNet(self.numbers, width, blocks, classes),
            chainer.optimizers.MomentumSGD(0.01),
            self.numbers.input(batch, 3, image, image),
            self.numbers.labels(batch, classes))

    def _static(self, model, optimizer, x, t):
        self.chain = StaticLoss(model)
        x, t = self.send(x), self.send(t)
        return self.train(self.chain, optimizer, lambda: self.chain(x, t))

    def refusal(self):
        """Return why the static chain was not recorded; None if it was."""
        recordings = self.chain.schedule_manager.recordings
        return next(iter(recordings.refused.values()), None)
