"""The same steps in PyTorch eager, as its users write them.

The transformer's attention is written out, as on the other side.
"""
import torch
import torch.nn.functional as F
from gpu import data as networks
from gpu.data import Numbers
from models import data
from torch import nn


def weighted(layer, *weights):
    """Set the parameters of a layer that has these weights, and biases of zero."""
    with torch.no_grad():
        weights = list(weights)
        for name, parameter in layer.named_parameters():
            if 'weight' in name:
                parameter.copy_(torch.from_numpy(weights.pop(0)))
            else:
                parameter.zero_()
    return layer


def linear(numbers, inputs, outputs):
    return weighted(nn.Linear(inputs, outputs), numbers.weight(outputs, inputs))


def conv(numbers, inputs, outputs, kernel, stride=1, bias=True):
    return weighted(
        nn.Conv2d(inputs, outputs, kernel, stride, (kernel - 1) // 2, bias=bias),
        numbers.weight(outputs, inputs, kernel, kernel))


def deconv(numbers, inputs, outputs, kernel, stride, bias=True):
    return weighted(
        nn.ConvTranspose2d(
            inputs, outputs, kernel, stride, (kernel - 1) // 2, bias=bias),
        numbers.weight(inputs, outputs, kernel, kernel))


def conv_bn(numbers, inputs, outputs, *sizes, layer=conv):
    return nn.Sequential(layer(numbers, inputs, outputs, *sizes, bias=False),
                         nn.BatchNorm2d(outputs, eps=2e-5))


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

class Bottleneck(nn.Module):

    def __init__(self, numbers, inputs, middle, outputs, stride):
        super().__init__()
        self.a = conv_bn(numbers, inputs, middle, 1, stride)
        self.b = conv_bn(numbers, middle, middle, 3)
        self.c = conv_bn(numbers, middle, outputs, 1)
        self.shortcut = nn.Identity()
        if inputs != outputs:
            self.shortcut = conv_bn(numbers, inputs, outputs, 1, stride)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        h = self.relu(self.a(x))
        h = self.relu(self.b(h))
        h = self.c(h)
        h += self.shortcut(x)
        return self.relu(h)


def make_resnet(numbers, width, blocks, classes):
    return nn.Sequential(
        conv_bn(numbers, 3, width, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1),
        *[Bottleneck(numbers, *block)
          for block in networks.resnet_blocks(width, blocks)],
        nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        linear(numbers, 4 * width * 2 ** (len(blocks) - 1), classes))


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
    *middle, last = networks.dcgan_generator(channels)
    l0 = linear(numbers, 100, 16 * channels)
    layers = []
    for layer in middle:
        layers += [conv_bn(numbers, *layer, layer=deconv), nn.ReLU(inplace=True)]
    gen = nn.Sequential(
        l0, nn.BatchNorm1d(16 * channels, eps=2e-5), nn.ReLU(inplace=True),
        nn.Unflatten(1, (channels, 4, 4)), *layers, deconv(numbers, *last),
        nn.Sigmoid())
    first, *middle = networks.dcgan_discriminator(channels)
    layers = [conv(numbers, *first), nn.LeakyReLU(0.2, inplace=True)]
    for layer in middle:
        layers += [conv_bn(numbers, *layer), nn.LeakyReLU(0.2, inplace=True)]
    dis = nn.Sequential(*layers, nn.Flatten(), linear(numbers, 16 * channels, 1))
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


class Block(nn.Module):

    def __init__(self, numbers, d, heads):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(d, eps=1e-6), nn.LayerNorm(d, eps=1e-6)
        self.qkv, self.out = linear(numbers, d, 3 * d), linear(numbers, d, d)
        self.up, self.down = linear(numbers, d, 4 * d), linear(numbers, 4 * d, d)

    def forward(self, x):
        batch, length, d = x.shape
        x = x.reshape(batch * length, d)
        h = self.qkv(self.ln1(x)).reshape(
            batch, length, 3, self.heads, d // self.heads)
        q, k, v = h.permute(2, 0, 3, 1, 4).unbind()
        weights = torch.softmax(
            q @ k.transpose(-1, -2) * (d / self.heads) ** -.5, -1)
        h = (weights @ v).permute(0, 2, 1, 3)
        x = x + self.out(h.reshape(batch * length, d))
        return x + self.down(F.relu(self.up(self.ln2(x))))


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
    l1, l2, l3 = [
        linear(numbers, a, b) for a, b in zip(sizes, sizes[1:], strict=False)]
    model = nn.Sequential(l1, nn.ReLU(), l2, nn.ReLU(), l3)
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
