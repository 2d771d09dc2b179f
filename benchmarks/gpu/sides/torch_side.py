"""The steps in PyTorch, as its users write them: eager, with fused optimizers.

The transformer's attention is written out, as on the other side; PyTorch has a fused
one as well. Half floats come by ``autocast`` and ``GradScaler``.
"""
import contextlib

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from benchmarks.gpu import data


def weighted(layer, *weights):
    """Set the parameters of a layer that has these weights, and biases of zero."""
    with torch.no_grad():
        named = [p for name, p in layer.named_parameters() if 'weight' in name]
        for parameter, weight in zip(named, weights, strict=True):
            parameter.copy_(torch.from_numpy(weight))
        for name, parameter in layer.named_parameters():
            if 'bias' in name:
                parameter.zero_()
    return layer


def linear(numbers, a, b):
    return weighted(nn.Linear(a, b), numbers.weight(b, a))


def conv(numbers, inputs, outputs, kernel, stride=1, transposed=False, bias=True):
    layer, shape = nn.Conv2d, (outputs, inputs, kernel, kernel)
    if transposed:
        layer, shape = nn.ConvTranspose2d, (inputs, outputs, kernel, kernel)
    return weighted(
        layer(inputs, outputs, kernel, stride, (kernel - 1) // 2, bias=bias),
        numbers.weight(*shape))


def conv_bn(numbers, inputs, outputs, kernel, stride=1, transposed=False):
    return nn.Sequential(
        conv(numbers, inputs, outputs, kernel, stride, transposed, bias=False),
        nn.BatchNorm2d(outputs, eps=2e-5))


class Bottleneck(nn.Module):

    def __init__(self, numbers, inputs, middle, outputs, stride):
        super().__init__()
        self.a = conv_bn(numbers, inputs, middle, 1)
        self.b = conv_bn(numbers, middle, middle, 3, stride)
        self.c = conv_bn(numbers, middle, outputs, 1)
        self.shortcut = nn.Identity()
        if inputs != outputs or stride != 1:
            self.shortcut = conv_bn(numbers, inputs, outputs, 1, stride)

    def forward(self, x):
        h = self.c(F.relu(self.b(F.relu(self.a(x), True)), True))
        return F.relu(h + self.shortcut(x), True)


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


class Side:
    """The steps on the first GPU, in one type of numbers: see the other side."""

    def __init__(self, mode='float32'):
        self.mode = mode

    def use(self):
        torch.backends.cuda.matmul.allow_tf32 = self.mode == 'tf32'
        torch.backends.cudnn.allow_tf32 = self.mode == 'tf32'
        torch.backends.cudnn.benchmark = True

    def make(self, row, arguments):
        self.numbers = data.Numbers()
        return getattr(self, row)(**arguments)

    def send(self, array):
        array = torch.from_numpy(array)
        return (array if array.is_floating_point() else array.long()).cuda()

    def scaler(self):
        return torch.amp.GradScaler('cuda', enabled=self.mode == 'float16')

    def precision(self):
        if self.mode == 'float16':
            return torch.autocast('cuda', torch.float16)
        return contextlib.nullcontext()

    def train(self, model, optimizer, lossfun):
        scaler = self.scaler()

        def step():
            with self.precision():
                loss = lossfun()
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            return loss.detach()
        return step

    def adam(self, model, **options):
        return torch.optim.Adam(model.parameters(), fused=True, **options)

    def resnet50(self, batch, image, width, blocks, classes):
        numbers = self.numbers
        first = conv_bn(numbers, 3, width, 7, 2)
        middle = [Bottleneck(numbers, *b) for b in data.resnet_blocks(width, blocks)]
        model = nn.Sequential(
            first, nn.ReLU(True), nn.MaxPool2d(3, 2, 1), *middle,
            nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            linear(numbers, 4 * width * 2 ** (len(blocks) - 1), classes)).cuda()
        x = self.send(numbers.input(batch, 3, image, image))
        t = self.send(numbers.labels(batch, classes))
        optimizer = torch.optim.SGD(
            model.parameters(), lr=.01, momentum=.9, fused=True)
        return self.train(model, optimizer, lambda: F.cross_entropy(model(x), t))

    def dcgan(self, batch, channels):
        numbers = self.numbers
        layers = data.dcgan_generator(channels)
        l0 = linear(numbers, 100, 16 * channels)
        middle = []
        for layer in layers[:-1]:
            middle += [conv_bn(numbers, *layer, transposed=True), nn.ReLU(True)]
        gen = nn.Sequential(
            l0, nn.BatchNorm1d(16 * channels, eps=2e-5), nn.ReLU(True),
            nn.Unflatten(1, (channels, 4, 4)), *middle,
            conv(numbers, *layers[-1], transposed=True), nn.Sigmoid()).cuda()
        layers = data.dcgan_discriminator(channels)
        first, middle = conv(numbers, *layers[0]), []
        for layer in layers[1:]:
            middle += [conv_bn(numbers, *layer), nn.LeakyReLU(.2, True)]
        dis = nn.Sequential(
            first, nn.LeakyReLU(.2, True), *middle, nn.Flatten(),
            linear(numbers, 16 * channels, 1)).cuda()
        options = {'lr': 2e-4, 'betas': (.5, .999)}
        gen_optimizer, dis_optimizer = self.adam(gen, **options), self.adam(
            dis, **options)
        scaler = self.scaler()
        z = self.send(numbers.input(batch, 100))
        x = self.send(numbers.input(batch, 3, 32, 32))

        def update(loss, optimizer, **options):
            optimizer.zero_grad()
            parameters = list(optimizer.param_groups[0]['params'])
            scaler.scale(loss).backward(inputs=parameters, **options)
            scaler.step(optimizer)

        def step():
            with self.precision():
                fake = gen(z)
                y_fake, y_real = dis(fake), dis(x)
                gen_loss = F.softplus(-y_fake).mean()
                dis_loss = F.softplus(-y_real).mean() + F.softplus(y_fake).mean()
            # The gradients of both are of the weights before any update.
            update(gen_loss, gen_optimizer, retain_graph=True)
            update(dis_loss, dis_optimizer)
            scaler.update()
            return (gen_loss + dis_loss).detach()
        return step

    def lstm(self, batch, units, steps):
        model = nn.LSTM(units, units, 2)
        with torch.no_grad():
            for layer in range(2):
                for kind in 'ih', 'hh':
                    getattr(model, 'weight_%s_l%d' % (kind, layer)).copy_(
                        torch.from_numpy(np.concatenate(
                            [self.numbers.weight(units, units) for _ in range(4)])))
            for name, parameter in model.named_parameters():
                if 'bias' in name:
                    parameter.zero_()
        model.cuda()
        x = torch.stack(
            [self.send(self.numbers.input(steps, units)) for _ in range(batch)], 1)

        def lossfun():
            y, (h, _) = model(x)
            return h.square().mean() + y.square().mean()
        return self.train(
            model, torch.optim.SGD(model.parameters(), lr=.1, fused=True), lossfun)

    def perceptron(self, batch, sizes):
        layers = [linear(self.numbers, a, b)
                  for a, b in zip(sizes[:-1], sizes[1:], strict=True)]
        model = nn.Sequential(
            layers[0], nn.ReLU(True), layers[1], nn.ReLU(True), layers[2]).cuda()
        x = self.send(self.numbers.input(batch, sizes[0]))
        t = self.send(self.numbers.labels(batch, sizes[-1]))
        return self.train(
            model, self.adam(model), lambda: F.cross_entropy(model(x), t))

    def transformer(self, batch, length, d, heads):
        model = Block(self.numbers, d, heads).cuda()
        x = self.send(self.numbers.input(batch, length, d))
        return self.train(
            model, self.adam(model), lambda: model(x).square().mean())

    def small(self, chain):
        w, b = [self.send(self.numbers.input(8, 8)).requires_grad_() for _ in range(2)]
        x = self.send(self.numbers.input(8, 8))
        one = torch.ones(8, 8, device='cuda')

        def step():
            w.grad = b.grad = None
            y = x
            for _ in range(chain):
                y = (torch.tanh(y) + b) * w
            y.backward(one)
            return y.detach().sum()
        return step

    small_static = small

    def embedding(self, batch, words, d, samples):
        embed = weighted(nn.Embedding(words, d), self.numbers.weight(words, d)).cuda()
        counts = 1. + self.send(self.numbers.labels(words, 1000))
        power = counts ** .75
        out = nn.Parameter(torch.zeros(words, d, device='cuda'))
        x, t = [self.send(self.numbers.labels(batch, words)) for _ in range(2)]
        model = nn.ParameterList([embed.weight, out])

        def lossfun():
            drawn = torch.multinomial(power, batch * samples, replacement=True)
            chosen = torch.cat([t[:, None], drawn.view(batch, samples)], 1)
            scores = torch.einsum('bd,bsd->bs', embed(x), F.embedding(chosen, out))
            return F.softplus(torch.cat(
                [-scores[:, :1], scores[:, 1:]], 1)).sum() / batch
        return self.train(
            model, torch.optim.SGD(model.parameters(), lr=.1, fused=True), lossfun)

    def functions(self, step):
        return None

    # Time and memory
    #

    def event(self):
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def elapsed(self, start, stop):
        stop.synchronize()
        return start.elapsed_time(stop) / 1000

    def synchronize(self):
        torch.cuda.synchronize()

    def release(self):
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()

    def peak(self):
        return torch.cuda.max_memory_reserved()

    def versions(self):
        return {'torch': torch.__version__, 'card': torch.cuda.get_device_name(),
                'cudnn': torch.backends.cudnn.version()}
