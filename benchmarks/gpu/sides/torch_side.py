"""The steps in PyTorch, as its users write them: eager, with fused optimizers.

Half floats come by ``autocast`` and ``GradScaler``. ``GraphSide`` records a whole step
as a CUDA graph.
"""
import contextlib

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from benchmarks.networks import data
from benchmarks.networks import torch_networks as networks


class Side:
    """The steps on a device, in one type of numbers: see the other side."""

    def __init__(self, mode='float32', device='cuda'):
        self.mode = mode
        self.device = device

    def use(self):
        torch.backends.cuda.matmul.allow_tf32 = self.mode == 'tf32'
        torch.backends.cudnn.allow_tf32 = self.mode == 'tf32'
        torch.backends.cudnn.benchmark = True

    def make(self, row, arguments):
        self.numbers = data.Numbers()
        return getattr(self, row)(**arguments)

    def send(self, array):
        array = torch.from_numpy(array)
        return (array if array.is_floating_point() else array.long()).to(
            self.device)

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

    def resnet50(self, batch, image, width, blocks, classes,
                 order=torch.contiguous_format):
        numbers = self.numbers
        model = networks.make_resnet(numbers, width, blocks, classes).to(
            self.device, memory_format=order)
        x = self.send(numbers.input(batch, 3, image, image)).to(memory_format=order)
        t = self.send(numbers.labels(batch, classes))
        optimizer = torch.optim.SGD(
            model.parameters(), lr=.01, momentum=.9, fused=True)
        return self.train(model, optimizer, lambda: F.cross_entropy(model(x), t))

    def resnet50_last(self, **arguments):
        return self.resnet50(**arguments, order=torch.channels_last)

    def dcgan(self, batch, channels):
        numbers = self.numbers
        gen = networks.make_generator(numbers, channels).to(self.device)
        dis = networks.make_discriminator(numbers, channels).to(self.device)
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
        model.to(self.device)
        x = torch.stack(
            [self.send(self.numbers.input(steps, units)) for _ in range(batch)], 1)

        def lossfun():
            y, (h, _) = model(x)
            return h.square().mean() + y.square().mean()
        return self.train(
            model, torch.optim.SGD(model.parameters(), lr=.1, fused=True), lossfun)

    def perceptron(self, batch, sizes):
        model = networks.make_perceptron(self.numbers, sizes).to(self.device)
        x = self.send(self.numbers.input(batch, sizes[0]))
        t = self.send(self.numbers.labels(batch, sizes[-1]))
        return self.train(
            model, self.adam(model), lambda: F.cross_entropy(model(x), t))

    def transformer(self, batch, length, d, heads):
        model = networks.Block(self.numbers, d, heads).to(self.device)
        x = self.send(self.numbers.input(batch, length, d))
        return self.train(
            model, self.adam(model), lambda: model(x).square().mean())

    def small(self, chain):
        w, b = [self.send(self.numbers.input(8, 8)).requires_grad_() for _ in range(2)]
        x = self.send(self.numbers.input(8, 8))
        one = torch.ones(8, 8, device=self.device)

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
        embed = networks.weighted(
            nn.Embedding(words, d), self.numbers.weight(words, d)).to(self.device)
        counts = 1. + self.send(self.numbers.labels(words, 1000))
        power = counts ** .75
        out = nn.Parameter(torch.zeros(words, d, device=self.device))
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


class Recorded:
    """A step that is recorded as a CUDA graph, after some eager ones.

    Parameters
    ----------
    step : callable
        What it does on the host must not depend on the device.
    """

    #: Eager steps: cuDNN chooses its engines, and optimizers make their state.
    EAGER = 3

    def __init__(self, step):
        self._step = step
        self._count = 0
        self._graph = self._loss = None

    def __call__(self):
        self._count += 1
        if self._count <= self.EAGER:
            return self._on_another_stream()
        if self._graph is None:
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._loss = self._step()
        self._graph.replay()
        return self._loss

    def _on_another_stream(self):
        """Work as the recording will: what is made belongs to no other graph."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            loss = self._step()
        torch.cuda.current_stream().wait_stream(stream)
        return loss


class GraphSide(Side):
    """The same steps, each recorded as a CUDA graph."""

    def adam(self, model, **options):
        return super().adam(model, capturable=True, **options)

    def make(self, row, arguments):
        return Recorded(super().make(row, arguments))
