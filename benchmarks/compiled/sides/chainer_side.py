"""The steps in Chainer's interface, plain and static."""
import chainer
import chainer.functions as F
import numpy as np
from models.sides.chainer_side import CNN, Block, Language, Perceptron
from networks.data import Numbers
from workloads import small as small_array


def train(static, model, optimizer, lossfun, *inputs):
    """Return a training step.

    Parameters
    ----------
    static : bool
        Whether the loss is computed by ``static_graph``.
    model : Chain
    optimizer : Optimizer
    lossfun : function
        Returns the loss, given the model and the inputs.
    *inputs : array
    """
    optimizer.setup(model)
    if static:
        lossfun = chainer.static_graph(lossfun)

    def step():
        loss = lossfun(model, *inputs)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss.array
    return told(step, static, model)


def told(step, static, model):
    """Return a step that reports why ``static_graph`` did not compile it, if so."""
    if static:
        step.refused = lambda: '; '.join(
            dict.fromkeys(model.schedule_manager.calls.refused.values()))
    return step


def classified(model, x, t):
    return F.softmax_cross_entropy(model(x), t)


def small(static, length, residual=False):
    model = chainer.Chain()
    leaves = [chainer.Variable(small_array(i, 8, 8)) for i in range(3)]
    one = np.ones((8, 8), np.float32)

    def forward(model, x, w, b):
        for _ in range(length):
            y = (F.tanh(x) + b) * w
            x = x + y if residual else y
        return x
    if static:
        forward = chainer.static_graph(forward)

    def step():
        y = forward(model, *leaves)
        for leaf in leaves:
            leaf.cleargrad()
        y.grad = one
        y.backward()
        return leaves[0].grad
    return told(step, static, model)


residual = small


def perceptron(static, batch, sizes, optimizer='Adam'):
    numbers = Numbers()
    model = Perceptron(numbers, sizes)
    x, t = numbers.input(batch, sizes[0]), numbers.labels(batch, sizes[-1])
    return train(static, model, getattr(chainer.optimizers, optimizer)(),
                 classified, x, t)


perceptron_sgd = perceptron_adam = perceptron


def lstm_cells(static, batch, units, length, words):
    numbers = Numbers()
    model = Language(numbers, words, units)
    text = [numbers.labels(batch, words) for _ in range(length + 1)]

    def lossfun(model, *text):
        model.lstm.reset_state()
        loss = 0
        for x, t in zip(text[:-1], text[1:], strict=False):
            loss += F.softmax_cross_entropy(model(x), t)
        return loss / length
    return train(static, model, chainer.optimizers.SGD(1.), lossfun, *text)


def cnn(static, batch, image, channels, classes):
    numbers = Numbers()
    model = CNN(numbers, image, channels, classes)
    x, t = numbers.input(batch, 3, image, image), numbers.labels(batch, classes)
    return train(
        static, model, chainer.optimizers.MomentumSGD(0.01), classified, x, t)


def transformer(static, batch, length, d, heads):
    numbers = Numbers()
    model = Block(numbers, d, heads)
    x = numbers.input(batch, length, d)
    return train(static, model, chainer.optimizers.Adam(),
                 lambda model, x: F.mean(F.square(model(x))), x)
