"""The same networks in PyTorch, as its users write them.

The transformer's attention is written out, as on the other side; PyTorch has a fused
one as well.
"""
import torch
import torch.nn.functional as F
from torch import nn

from . import data


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
          for block in data.resnet_blocks(width, blocks)],
        nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        linear(numbers, 4 * width * 2 ** (len(blocks) - 1), classes))


def make_generator(numbers, channels):
    *middle, last = data.dcgan_generator(channels)
    l0 = linear(numbers, 100, 16 * channels)
    layers = []
    for layer in middle:
        layers += [conv_bn(numbers, *layer, layer=deconv), nn.ReLU(inplace=True)]
    return nn.Sequential(
        l0, nn.BatchNorm1d(16 * channels, eps=2e-5), nn.ReLU(inplace=True),
        nn.Unflatten(1, (channels, 4, 4)), *layers, deconv(numbers, *last),
        nn.Sigmoid())


def make_discriminator(numbers, channels):
    first, *middle = data.dcgan_discriminator(channels)
    layers = [conv(numbers, *first), nn.LeakyReLU(0.2, inplace=True)]
    for layer in middle:
        layers += [conv_bn(numbers, *layer), nn.LeakyReLU(0.2, inplace=True)]
    return nn.Sequential(*layers, nn.Flatten(), linear(numbers, 16 * channels, 1))


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


def make_perceptron(numbers, sizes):
    l1, l2, l3 = [
        linear(numbers, a, b) for a, b in zip(sizes, sizes[1:], strict=False)]
    return nn.Sequential(
        l1, nn.ReLU(inplace=True), l2, nn.ReLU(inplace=True), l3)
