"""The same steps in PyTorch eager, as its users write them."""
import torch
import torch.nn.functional as F
from models import data
from networks.data import Numbers
from networks.torch_networks import (
    Block,
    conv,
    conv_bn,
    linear,
    make_discriminator,
    make_generator,
    make_perceptron,
    make_resnet,
    weighted,
)
from torch import nn


def inputs_of(numbers, *shape):
    return torch.from_numpy(numbers.input(*shape))


def labels_of(numbers, n, classes):
    return torch.from_numpy(numbers.labels(n, classes)).long()


def train(optimizer, lossfun):
    def step():
        loss = lossfun()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()
    return step, step


def sgd(model, lr, momentum=0.):
    return torch.optim.SGD(model.parameters(), lr=lr, momentum=momentum)


# Images
#

def resnet50_predict(batch, image, width, blocks, classes):
    numbers = Numbers()
    model = make_resnet(numbers, width, blocks, classes).eval()
    x = inputs_of(numbers, batch, 3, image, image)

    def step():
        with torch.inference_mode():
            return model(x)
    return step, lambda: (step() ** 2).mean()


def resnet50(batch, image, width, blocks, classes):
    numbers = Numbers()
    model = make_resnet(numbers, width, blocks, classes)
    x = inputs_of(numbers, batch, 3, image, image)
    t = labels_of(numbers, batch, classes)
    return train(sgd(model, 1e-6, 0.9), lambda: F.cross_entropy(model(x), t))


def vgg16(batch, image, width, units, classes):
    numbers = data.HeNumbers()
    channels, layers = 3, []
    for i, count in enumerate((2, 2, 3, 3, 3)):
        for _ in range(count):
            outputs = width * min(8, 2 ** i)
            layers += [conv(numbers, channels, outputs, 3), nn.ReLU(inplace=True)]
            channels = outputs
        layers.append(nn.MaxPool2d(2))
    model = nn.Sequential(
        *layers, nn.Flatten(),
        linear(numbers, channels * (image // 32) ** 2, units), nn.ReLU(inplace=True),
        linear(numbers, units, units), nn.ReLU(inplace=True),
        linear(numbers, units, classes))
    x = inputs_of(numbers, batch, 3, image, image)
    t = labels_of(numbers, batch, classes)
    return train(sgd(model, 0.001, 0.9), lambda: F.cross_entropy(model(x), t))


def dcgan(batch, channels):
    numbers = Numbers()
    gen = make_generator(numbers, channels)
    dis = make_discriminator(numbers, channels)
    gen_optimizer, dis_optimizer = [
        torch.optim.Adam(model.parameters(), lr=2e-4, betas=(0.5, 0.999))
        for model in (gen, dis)]
    z, x = inputs_of(numbers, batch, 100), inputs_of(numbers, batch, 3, 32, 32)

    def step():
        fake = gen(z)
        y_fake, y_real = dis(fake), dis(x)
        gen_loss = F.softplus(-y_fake).mean()
        gen_optimizer.zero_grad()
        gen_loss.backward(retain_graph=True)
        gen_optimizer.step()
        dis_loss = F.softplus(-y_real).mean() + F.softplus(y_fake).mean()
        dis_optimizer.zero_grad()
        dis_loss.backward(inputs=list(dis.parameters()))
        dis_optimizer.step()
        return (gen_loss + dis_loss).detach()
    return step, step


def cnn(batch, image, channels, classes):
    numbers = Numbers()
    layers = []
    for a, b in zip((3, *channels), channels, strict=False):
        layers += [conv_bn(numbers, a, b, 3), nn.ReLU(inplace=True), nn.MaxPool2d(2)]
    model = nn.Sequential(*layers, nn.Flatten(), linear(
        numbers, channels[-1] * (image >> len(channels)) ** 2, classes))
    x = inputs_of(numbers, batch, 3, image, image)
    t = labels_of(numbers, batch, classes)
    return train(sgd(model, 0.01, 0.9), lambda: F.cross_entropy(model(x), t))


# Sequences
#

def gates(numbers, units):
    """Return the weights of the four gates in one array."""
    return data.stacked(numbers.weight(units, units) for _ in range(4))


def n_step_lstm(batch, units, length):
    numbers = Numbers()
    model = nn.LSTM(units, units, 2)
    weighted(model, *[gates(numbers, units) for _ in range(4)])
    x = torch.stack([inputs_of(numbers, length, units) for _ in range(batch)], 1)

    def lossfun():
        y, (h, _) = model(x)
        return h.square().mean() + y.square().mean()
    return train(sgd(model, 0.1), lossfun)


def lstm_cells(batch, units, length, words):
    numbers = Numbers()
    embed = weighted(nn.Embedding(words, units), numbers.weight(words, units))
    out = linear(numbers, units, words)
    cell = weighted(
        nn.LSTMCell(units, units), gates(numbers, units), gates(numbers, units))
    # Chainer's link has one bias.
    cell.bias_hh.requires_grad_(False)
    text = [labels_of(numbers, batch, words) for _ in range(length + 1)]

    def lossfun():
        state, loss = None, 0
        for x, t in zip(text[:-1], text[1:], strict=False):
            state = cell(embed(x), state)
            loss += F.cross_entropy(out(state[0]), t)
        return loss / length
    return train(sgd(nn.ModuleList([embed, cell, out]), 1.), lossfun)


def transformer(batch, length, d, heads):
    numbers = Numbers()
    model = Block(numbers, d, heads)
    x = inputs_of(numbers, batch, length, d)
    return train(torch.optim.Adam(model.parameters()),
                 lambda: model(x).square().mean())


# Rows
#

def perceptron(batch, sizes):
    numbers = Numbers()
    model = make_perceptron(numbers, sizes)
    x, t = inputs_of(numbers, batch, sizes[0]), labels_of(numbers, batch, sizes[-1])
    return train(torch.optim.Adam(model.parameters()),
                 lambda: F.cross_entropy(model(x), t))


def skip_gram(batch, contexts, words, d, samples):
    """Negative sampling by Walker's alias method and sparse gradients."""
    numbers = Numbers()
    counts, x, others, drawn = data.skip_gram(batch, contexts, words, samples)
    embed, out = [
        weighted(nn.Embedding(words, d, sparse=True), numbers.weight(words, d))
        for _ in range(2)]
    threshold, values = map(torch.from_numpy, data.alias_table(counts ** 0.75))
    x, others, drawn = [torch.from_numpy(array).long() for array in (x, others, drawn)]

    def sample():
        shape = batch * contexts, samples
        i = torch.randint(words, shape)
        keep = torch.rand(shape) < threshold[i]
        return torch.where(keep, i, values[i])

    def lossfun(sample=sample):
        e = embed(others).reshape(batch * contexts, d)
        t = x[:, None].expand(batch, contexts).reshape(-1, 1)
        w = out(torch.cat([t, sample()], 1))
        scores = torch.bmm(w, e[:, :, None])[:, :, 0]
        loss = F.softplus(-scores[:, 0]).sum() + F.softplus(scores[:, 1:]).sum()
        return loss / batch
    optimizer = sgd(nn.ModuleList([embed, out]), 0.05)
    return (train(optimizer, lossfun)[0],
            train(optimizer, lambda: lossfun(lambda: drawn[:, 1:]))[0])
