"""Functions of all kinds in a small chain: what they cost in a static one.

A step is the forward and backward pass of a linear map and the function, of 32 rows of
64 numbers, so that the calls take as long as the arithmetic.
"""
import numpy as np
from workloads import small

ROWS, UNITS = 32, 64

KINDS = {
    'softmax': ('a shortcut', lambda F, model, h, x: F.softmax(h)),
    'batch_normalization': (
        'running statistics', lambda F, model, h, x: model.bn(h)),
    'lstm_state': ('the state of L.LSTM', lambda F, model, h, x: model.begun()(h)),
    'dropout': ('uniform noise', lambda F, model, h, x: F.dropout(h, .5)),
    'gaussian': ('other noise, refused', lambda F, model, h, x: F.gaussian(h, h)),
    'split_axis': (
        'several outputs', lambda F, model, h, x: sum(F.split_axis(h, 4, 1))),
    'sin': ('no compiled form', lambda F, model, h, x: F.sin(h)),
    'maximum': ('no compiled form', lambda F, model, h, x: F.maximum(h, x)),
    'clip': ('no compiled form', lambda F, model, h, x: F.clip(h, -.5, .5)),
    'refused': ('a number that differs', lambda F, model, h, x: h * model.factor()),
}
TITLES = {
    'SG.%s%s' % (name, kind): 'F.%s' % name + ': ' + text + suffix
    for name, (text, _) in KINDS.items()
    for kind, suffix in (('', ', static'), (':plain', ', not static'))}


def step_of(chainer, name, decorate):
    """Return a step by Chainer's interface."""
    F, L = chainer.functions, chainer.links
    compute = KINDS[name][1]

    class Model(chainer.Chain):

        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.linear = L.Linear(UNITS, UNITS, initialW=small(80, UNITS, UNITS))
                self.bn = L.BatchNormalization(UNITS)
                self.lstm = L.LSTM(UNITS, UNITS, lateral_init=1, upward_init=.1)
            self._factors = iter(range(1, 1 << 62))

        def begun(self):
            self.lstm.reset_state()
            return self.lstm

        def factor(self):
            return next(self._factors) % 7 + 1.

        @decorate
        def __call__(self, x):
            return compute(F, self, self.linear(x), x)
    model = Model()
    np.random.seed(0)
    x = chainer.Variable(small(81, ROWS, UNITS))
    one = None

    def step():
        nonlocal one
        model.cleargrads()
        y = model(x)
        if one is None:
            one = np.ones(y.shape, y.dtype)
        y.grad = one
        y.backward()
        return model.linear.W.grad
    return step
