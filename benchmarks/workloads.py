"""The workloads, once for Chainer's interface, once for PyTorch's, once in plain NumPy.

Each ``make_*`` function returns a function without arguments that does one step. All
three do the same arithmetic on the same numbers; by their ``check`` values the
comparison refuses programs with different results.
"""
import numpy as np

CHAIN = 250          # times three functions each: tanh, +, *
FAN_OUT = 200
UNITS = 64
BATCH = 32
CLASSES = 10


def small(seed, *shape):
    return (np.random.RandomState(seed).rand(*shape).astype(np.float32) - 0.5) * 0.4


def layers(sizes):
    """Return weights and biases of a perceptron."""
    return [(small(i, sizes[i + 1], sizes[i]), small(100 + i, sizes[i + 1]))
            for i in range(len(sizes) - 1)]


PERCEPTRON = (UNITS, UNITS, UNITS, CLASSES)
CRITIC = (UNITS, UNITS, UNITS, 1)


def labels():
    return np.random.RandomState(7).randint(0, CLASSES, BATCH)


def flat(params, grads):
    """Return pairs of a parameter and its gradient."""
    return [pair for ps, gs in zip(params, grads, strict=True)
            for pair in zip(ps, gs, strict=True)]


def adam(params, alpha, beta1):
    """Return a function that does Adam's step in plain NumPy."""
    state = [(np.zeros_like(p), np.zeros_like(p)) for pair in params for p in pair]
    count = 0

    def update(grads):
        nonlocal count
        count += 1
        rate = np.float32(
            alpha * np.sqrt(1 - 0.999 ** count) / (1 - beta1 ** count))
        for (p, g), (m, v) in zip(flat(params, grads), state, strict=True):
            m += np.float32(1 - beta1) * (g - m)
            v += np.float32(0.001) * (g * g - v)
            p -= rate * m / (np.sqrt(v) + np.float32(1e-8))
    return update


class ChainerWorkloads:
    """Workloads for Chainer and chainer_fast, which have the same interface.

    Parameters
    ----------
    chainer : module
    device : str
        Where the arrays are. ``'native:0'`` means arrays of ChainerX.
    """

    def __init__(self, chainer, device='@numpy'):
        self.chainer = self.library = chainer
        self.device = chainer.get_device(device)

    def _small(self, seed, *shape):
        return self.device.send(small(seed, *shape))

    def _one(self):
        return self.device.send(np.ones((8, 8), np.float32))

    def _chain(self):
        Variable, F = self.chainer.Variable, self.chainer.functions
        x, w, b = (Variable(self._small(i, 8, 8)) for i in range(3))

        def forward():
            h = x
            for _ in range(CHAIN):
                h = F.tanh(h)
                h = h + b
                h = h * w
            return h
        return forward, (x, w, b)

    def make_add(self):
        x, y = (self._small(i, 8, 8) for i in range(2))
        if self.device.xp is np:
            x, y = self.chainer.Variable(x), self.chainer.Variable(y)
            return lambda: (x + y).array
        x.require_grad(), y.require_grad()
        return lambda: x + y

    def make_small_forward(self):
        forward, _ = self._chain()
        return lambda: forward().array

    def make_small(self):
        forward, leaves = self._chain()
        one = self._one()

        def step():
            for leaf in leaves:
                leaf.cleargrad()
            y = forward()
            y.grad = one
            y.backward()
            return leaves[0].grad
        return step

    def make_fan_out(self):
        F = self.chainer.functions
        x = self.chainer.Variable(self._small(0, 8, 8))
        one = self._one()

        def step():
            x.cleargrad()
            total = F.tanh(x)
            for _ in range(FAN_OUT - 1):
                total = total + F.tanh(x)
            total.grad = one
            total.backward()
            return x.grad
        return step

    def _model(self, sizes, activation):
        chainer = self.chainer
        L = chainer.links
        arrays = layers(sizes)

        class Model(chainer.Chain):
            def __init__(self):
                super().__init__()
                with self.init_scope():
                    self.l0 = L.Linear(sizes[0], sizes[1], initialW=arrays[0][0],
                                       initial_bias=arrays[0][1])
                    self.l1 = L.Linear(sizes[1], sizes[2], initialW=arrays[1][0],
                                       initial_bias=arrays[1][1])
                    self.l2 = L.Linear(sizes[2], sizes[3], initialW=arrays[2][0],
                                       initial_bias=arrays[2][1])

            def forward(self, x):
                return self.l2(activation(self.l1(activation(self.l0(x)))))
        return Model().to_device(self.device)

    def _train(self, optimizer):
        F = self.chainer.functions
        model = self._model(PERCEPTRON, F.relu)
        x = self._small(50, BATCH, UNITS)
        t = self.device.send(labels().astype(np.int32))
        optimizer.setup(model)

        def step():
            loss = F.softmax_cross_entropy(model(x), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            return loss.array
        return step

    def make_perceptron_sgd(self):
        return self._train(self.chainer.optimizers.SGD(lr=0.01))

    def make_perceptron_adam(self):
        return self._train(self.chainer.optimizers.Adam())

    def make_gradient_penalty(self):
        chainer, F = self.chainer, self.chainer.functions
        critic = self._model(CRITIC, F.tanh)
        optimizer = chainer.optimizers.Adam(alpha=1e-4, beta1=0.5)
        optimizer.setup(critic)
        real, fake = self._small(60, BATCH, UNITS), self._small(61, BATCH, UNITS)
        mixed = 0.5 * real + 0.5 * fake

        def step():
            x = chainer.Variable(mixed)
            g, = chainer.grad([critic(x)], [x], enable_double_backprop=True)
            norm = F.sqrt(F.sum(g * g, axis=1))
            penalty = F.mean((norm - 1.0) ** 2)
            loss = F.mean(critic(fake)) - F.mean(critic(real)) + 10.0 * penalty
            critic.cleargrads()
            loss.backward()
            optimizer.update()
            return loss.array
        return step

    def make_predict(self):
        chainer = self.chainer
        model = self._model(PERCEPTRON, chainer.functions.relu)
        x = self._small(50, 1, UNITS)

        def step():
            with chainer.no_backprop_mode(), chainer.using_config('train', False):
                return model(x).array
        return step

    def make_graph(self):
        """Return a function that builds a graph, and returns what keeps it alive."""
        return self._chain()[0]


class TorchWorkloads:
    """The same in PyTorch, in its usual style."""

    def __init__(self, torch):
        self.torch = self.library = torch

    def _chain(self):
        torch = self.torch
        x, w, b = (torch.tensor(small(i, 8, 8), requires_grad=True) for i in range(3))

        def forward():
            h = x
            for _ in range(CHAIN):
                h = torch.tanh(h)
                h = h + b
                h = h * w
            return h
        return forward, (x, w, b)

    def make_add(self):
        x, y = (self.torch.tensor(small(i, 8, 8), requires_grad=True) for i in range(2))
        return lambda: (x + y).detach()

    def make_small_forward(self):
        forward, _ = self._chain()
        return lambda: forward().detach().numpy()

    def make_small(self):
        forward, leaves = self._chain()
        one = self.torch.ones(8, 8)

        def step():
            for leaf in leaves:
                leaf.grad = None
            forward().backward(one)
            return leaves[0].grad.numpy()
        return step

    def make_fan_out(self):
        torch = self.torch
        x = torch.tensor(small(0, 8, 8), requires_grad=True)
        one = torch.ones(8, 8)

        def step():
            x.grad = None
            total = torch.tanh(x)
            for _ in range(FAN_OUT - 1):
                total = total + torch.tanh(x)
            total.backward(one)
            return x.grad.numpy()
        return step

    def _model(self, sizes, activation):
        torch = self.torch
        model = torch.nn.Sequential(
            torch.nn.Linear(sizes[0], sizes[1]), activation(),
            torch.nn.Linear(sizes[1], sizes[2]), activation(),
            torch.nn.Linear(sizes[2], sizes[3]))
        with torch.no_grad():
            for layer, (w, b) in zip(model[::2], layers(sizes), strict=True):
                layer.weight.copy_(torch.tensor(w))
                layer.bias.copy_(torch.tensor(b))
        return model

    def _train(self, make_optimizer):
        torch = self.torch
        model = self._model(PERCEPTRON, torch.nn.ReLU)
        x, t = torch.tensor(small(50, BATCH, UNITS)), torch.tensor(labels())
        optimizer = make_optimizer(model.parameters())

        def step():
            loss = torch.nn.functional.cross_entropy(model(x), t)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss.detach().numpy()
        return step

    def make_perceptron_sgd(self):
        return self._train(lambda p: self.torch.optim.SGD(p, lr=0.01))

    def make_perceptron_adam(self):
        return self._train(lambda p: self.torch.optim.Adam(p, lr=0.001))

    def make_gradient_penalty(self):
        torch = self.torch
        critic = self._model(CRITIC, torch.nn.Tanh)
        optimizer = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.5, 0.999))
        real, fake = small(60, BATCH, UNITS), small(61, BATCH, UNITS)
        mixed = torch.tensor(0.5 * real + 0.5 * fake)
        real, fake = torch.tensor(real), torch.tensor(fake)
        one = torch.ones(BATCH, 1)

        def step():
            x = mixed.detach().requires_grad_()
            g, = torch.autograd.grad(critic(x), x, one, create_graph=True)
            norm = torch.sqrt(torch.sum(g * g, 1))
            penalty = torch.mean((norm - 1.0) ** 2)
            loss = torch.mean(critic(fake)) - torch.mean(critic(real)) + 10.0 * penalty
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss.detach().numpy()
        return step

    def make_predict(self):
        torch = self.torch
        model = self._model(PERCEPTRON, torch.nn.ReLU)
        model.eval()
        x = torch.tensor(small(50, 1, UNITS))

        def step():
            with torch.no_grad():
                return model(x).numpy()
        return step

    def make_graph(self):
        return self._chain()[0]


class NumpyWorkloads:
    """The arithmetic alone, with one NumPy call for each operation: the lower bound."""

    library = None

    def _forward(self):
        x, w, b = (small(i, 8, 8) for i in range(3))

        def forward():
            h, kept = x, []
            for _ in range(CHAIN):
                y = np.tanh(h)
                z = y + b
                kept.append((y, z))
                h = z * w
            return h, kept
        return forward, w

    def make_add(self):
        x, y = (small(i, 8, 8) for i in range(2))
        return lambda: x + y

    def make_small_forward(self):
        forward, _ = self._forward()
        return lambda: forward()[0]

    def make_small(self):
        forward, w = self._forward()

        def step():
            _, kept = forward()
            g = np.ones((8, 8), np.float32)
            gw = gb = None
            for y, z in reversed(kept):
                gwi = g * z
                g = g * w
                gw = gwi if gw is None else gw + gwi
                gb = g if gb is None else gb + g
                g = g * (1 - y * y)
            return g
        return step

    def make_fan_out(self):
        x = small(0, 8, 8)

        def step():
            ys = [np.tanh(x)]
            total = ys[0]
            for _ in range(FAN_OUT - 1):
                y = np.tanh(x)
                ys.append(y)
                total = total + y
            one = np.ones((8, 8), np.float32)
            gx = None
            for y in ys:
                g = one * (1 - y * y)
                gx = g if gx is None else gx + g
            return gx
        return step

    def _step(self, params, x, t):
        """Return the loss and the gradients of a perceptron."""
        (w0, b0), (w1, b1), (w2, b2) = params
        h0 = np.maximum(x.dot(w0.T) + b0, 0)
        h1 = np.maximum(h0.dot(w1.T) + b1, 0)
        y = h1.dot(w2.T) + b2
        y = y - y.max(axis=1, keepdims=True)
        e = np.exp(y)
        total = e.sum(axis=1, keepdims=True)
        rows = np.arange(len(t))
        loss = -(y - np.log(total))[rows, t].mean()
        g = e / total
        g[rows, t] -= 1
        g *= np.float32(1 / len(t))
        g1 = g.dot(w2) * (h1 > 0)
        g0 = g1.dot(w1) * (h0 > 0)
        return loss, ((g0.T.dot(x), g0.sum(axis=0)), (g1.T.dot(h0), g1.sum(axis=0)),
                      (g.T.dot(h1), g.sum(axis=0)))

    def make_perceptron_sgd(self):
        params = layers(PERCEPTRON)
        x, t = small(50, BATCH, UNITS), labels()
        lr = np.float32(0.01)

        def step():
            loss, grads = self._step(params, x, t)
            for p, g in flat(params, grads):
                p -= lr * g
            return loss
        return step

    def make_perceptron_adam(self):
        params = layers(PERCEPTRON)
        x, t = small(50, BATCH, UNITS), labels()
        update = adam(params, 0.001, 0.9)

        def step():
            loss, grads = self._step(params, x, t)
            update(grads)
            return loss
        return step

    def make_gradient_penalty(self):
        params = layers(CRITIC)
        real, fake = small(60, BATCH, UNITS), small(61, BATCH, UNITS)
        mixed = 0.5 * real + 0.5 * fake
        update = adam(params, 1e-4, 0.5)

        def forward(x):
            (w0, b0), (w1, b1), (w2, b2) = params
            h0 = np.tanh(x.dot(w0.T) + b0)
            h1 = np.tanh(h0.dot(w1.T) + b1)
            return h0, h1, h1.dot(w2.T) + b2

        def backward(x, h0, h1, gy, gh0, gh1):
            """Return the gradients, given those of the output and of the layers."""
            (w0, b0), (w1, b1), (w2, b2) = params
            g1 = (gh1 + gy.dot(w2)) * (1 - h1 * h1)
            g0 = (gh0 + g1.dot(w1)) * (1 - h0 * h0)
            return [g0.T.dot(x), g0.sum(axis=0), g1.T.dot(h0), g1.sum(axis=0),
                    gy.T.dot(h1), gy.sum(axis=0)]

        def penalty():
            (w0, b0), (w1, b1), (w2, b2) = params
            h0, h1, y = forward(mixed)
            s0, s1 = 1 - h0 * h0, 1 - h1 * h1
            d1 = w2 * s1
            u0 = d1.dot(w1)
            d0 = u0 * s0
            g = d0.dot(w0)
            norm = np.sqrt((g * g).sum(axis=1))
            value = np.float32(10) * ((norm - 1) ** 2).mean()
            # The gradient of the penalty with respect to g, and back through its
            # computation.
            gg = (np.float32(20 / BATCH) * (norm - 1) / norm)[:, None] * g
            gd0 = gg.dot(w0.T)
            gu0 = gd0 * s0
            gd1 = gu0.dot(w1.T)
            grads = backward(
                mixed, h0, h1, np.zeros_like(y), -2 * h0 * (gd0 * u0),
                -2 * h1 * (gd1 * w2))
            grads[0] += d0.T.dot(gg)
            grads[2] += d1.T.dot(gu0)
            grads[4] += (gd1 * s1).sum(axis=0, keepdims=True)
            return value, grads

        def step():
            loss, grads = penalty()
            for x, sign in (fake, 1), (real, -1):
                h0, h1, y = forward(x)
                loss = loss + sign * y.mean()
                gy = np.full_like(y, sign / BATCH)
                more = backward(x, h0, h1, gy, np.float32(0), np.float32(0))
                grads = [a + b for a, b in zip(grads, more, strict=True)]
            update(list(zip(grads[::2], grads[1::2], strict=True)))
            return loss
        return step

    def make_predict(self):
        (w0, b0), (w1, b1), (w2, b2) = layers(PERCEPTRON)
        x = small(50, 1, UNITS)

        def step():
            h = np.maximum(x.dot(w0.T) + b0, 0)
            h = np.maximum(h.dot(w1.T) + b1, 0)
            return h.dot(w2.T) + b2
        return step


class JaxWorkloads:
    """JAX has steps in groups only."""

    def __init__(self, jax):
        self.library = jax


def load(name):
    """Return the workloads of a side."""
    if name == 'numpy':
        return NumpyWorkloads()
    if name in ('torch', 'torch_compile'):
        import torch
        return TorchWorkloads(torch)
    if name == 'jax':
        import jax
        return JaxWorkloads(jax)
    if name != 'chainer':
        import chainer_fast
        device = 'native:0' if name == 'chainerx' else '@numpy'
        return ChainerWorkloads(chainer_fast, device)
    import chainer
    if 'chainer_fast' in chainer.__file__:
        raise RuntimeError('this is not the released Chainer')
    return ChainerWorkloads(chainer)
