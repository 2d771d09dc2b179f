"""Links themselves: calls, walks over parameters and assignments.

The model is a chain of 12 blocks of four layers each, every layer with a weight and a
bias. Its layers compute nothing, so that the links alone are timed.
"""
import numpy as np

BLOCKS = 12
ASSIGNMENTS = 100

TITLES = {
    'L.calls': '61 links that compute nothing, called',
    'L.params': 'list(model.params()), 96 parameters',
    'L.cleargrads': 'model.cleargrads(), 96 parameters',
    'L.setattr': '100 assignments to an attribute of a link',
}
# Least ratios of Chainer's times.
BARS = {key: {'chainer': 5} for key in TITLES}


def make_model(chainer):
    """Return the model, its gradients filled."""

    class Layer(chainer.Link):

        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.W = chainer.Parameter(1, (3, 2))
                self.b = chainer.Parameter(1, (3,))

        def forward(self, x):
            return x

    class Block(chainer.Chain):

        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.conv1, self.bn1 = Layer(), Layer()
                self.conv2, self.bn2 = Layer(), Layer()

        def forward(self, x):
            return self.bn2(self.conv2(self.bn1(self.conv1(x))))

    class Model(chainer.ChainList):

        def forward(self, x):
            for block in self:
                x = block(x)
            return x

    model = Model(*[Block() for _ in range(BLOCKS)])
    for param in model.params():
        param.grad = np.ones_like(param.array)
    return model


def chainer_step(chainer, key):
    """Return a step by Chainer's interface; its ``check`` returns the results."""
    model = make_model(chainer)
    link = model[0].conv1

    def calls():
        return [model(1)]

    def params():
        return list(model.params())

    def cleargrads():
        model.cleargrads()

    def assign():
        for i in range(ASSIGNMENTS):
            link.count = i

    step = {'calls': calls, 'params': params, 'cleargrads': cleargrads,
            'setattr': assign}[key.partition('.')[2]]

    def check():
        step()
        return [np.array([
            model(1), len(list(model.params())),
            sum(param.grad is None for param in model.params()),
            getattr(link, 'count', -1)], float)]
    step.check = check
    return step
