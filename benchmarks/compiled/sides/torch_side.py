"""The steps in PyTorch; ``compiled`` is ``torch.compile``, or does nothing."""
import torch
import torch.nn.functional as F
from models.sides.torch_side import gates, inputs_of, labels_of, sgd
from networks.data import Numbers
from networks.torch_networks import (
    Block,
    conv_bn,
    linear,
    make_perceptron,
    weighted,
)
from torch import nn
from workloads import small as small_array


def train(compiled, optimizer, lossfun, *inputs):
    """Return a training step: the loss and the update are compiled each."""
    lossfun, update = compiled(lossfun), compiled(optimizer.step)

    def step():
        loss = lossfun(*inputs)
        optimizer.zero_grad()
        loss.backward()
        update()
        return loss.detach().numpy()
    return step


def small(compiled, length, residual=False):
    x, w, b = (torch.tensor(small_array(i, 8, 8), requires_grad=True) for i in range(3))
    one = torch.ones(8, 8)

    @compiled
    def forward(x, w, b):
        for _ in range(length):
            y = (torch.tanh(x) + b) * w
            x = x + y if residual else y
        return x

    def step():
        for leaf in (x, w, b):
            leaf.grad = None
        forward(x, w, b).backward(one)
        return x.grad.numpy()
    return step


residual = small


def perceptron(compiled, batch, sizes, optimizer='Adam'):
    numbers = Numbers()
    model = make_perceptron(numbers, sizes)
    x, t = inputs_of(numbers, batch, sizes[0]), labels_of(numbers, batch, sizes[-1])
    rate = {'SGD': 0.01, 'Adam': 0.001}[optimizer]
    optimizer = getattr(torch.optim, optimizer)(model.parameters(), lr=rate)
    return train(compiled, optimizer, lambda x, t: F.cross_entropy(model(x), t), x, t)


perceptron_sgd = perceptron_adam = perceptron


def lstm_cells(compiled, batch, units, length, words):
    numbers = Numbers()
    embed = weighted(nn.Embedding(words, units), numbers.weight(words, units))
    out = linear(numbers, units, words)
    lstm = weighted(nn.LSTM(units, units), gates(numbers, units), gates(numbers, units))
    # Chainer's link has one bias.
    lstm.bias_hh_l0.requires_grad_(False)
    text = torch.stack([labels_of(numbers, batch, words) for _ in range(length + 1)])

    def lossfun(xs, ts):
        ys, _ = lstm(embed(xs))
        return F.cross_entropy(out(ys).flatten(0, 1), ts.flatten())
    return train(compiled, sgd(nn.ModuleList([embed, lstm, out]), 1.), lossfun,
                 text[:-1], text[1:])


def cnn(compiled, batch, image, channels, classes):
    numbers = Numbers()
    layers = []
    for a, b in zip((3, *channels), channels, strict=False):
        layers += [conv_bn(numbers, a, b, 3), nn.ReLU(inplace=True), nn.MaxPool2d(2)]
    model = nn.Sequential(*layers, nn.Flatten(), linear(
        numbers, channels[-1] * (image >> len(channels)) ** 2, classes))
    x = inputs_of(numbers, batch, 3, image, image)
    t = labels_of(numbers, batch, classes)
    return train(compiled, sgd(model, 0.01, 0.9),
                 lambda x, t: F.cross_entropy(model(x), t), x, t)


def transformer(compiled, batch, length, d, heads):
    numbers = Numbers()
    model = Block(numbers, d, heads)
    x = inputs_of(numbers, batch, length, d)
    return train(compiled, torch.optim.Adam(model.parameters()),
                 lambda x: model(x).square().mean(), x)
