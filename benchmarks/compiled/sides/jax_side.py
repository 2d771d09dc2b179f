"""The steps in JAX, each one compiled function."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from networks.data import Numbers
from workloads import small as small_array


def train(params, optimizer, lossfun, *inputs):
    """Return a training step.

    Parameters
    ----------
    params : tree of array
    optimizer : tuple of function
        Returns the first state for a parameter, and the updated parameter and state for
        a parameter, its gradient, its state and the number of the step.
    lossfun : function
        Returns the loss and the new ``others``, given the parameters, ``others`` and
        the inputs. Its attribute ``others``, if any, is what else a step changes.
    *inputs : array
    """
    start, update = optimizer
    leaves, tree = jax.tree.flatten(jax.tree.map(jnp.asarray, params))
    others = getattr(lossfun, 'others', ())
    inputs = [jnp.asarray(x) for x in inputs]

    @functools.partial(jax.jit, donate_argnums=0)
    def compiled(state, *inputs):
        leaves, states, others, count = state
        (loss, others), grads = jax.value_and_grad(lossfun, has_aux=True)(
            jax.tree.unflatten(tree, leaves), others, *inputs)
        grads = jax.tree.leaves(grads)
        pairs = [update(*each, count + 1)
                 for each in zip(leaves, grads, states, strict=True)]
        leaves, states = map(list, zip(*pairs, strict=True))
        return (leaves, states, others, count + 1), loss

    state = leaves, [start(p) for p in leaves], others, jnp.zeros((), jnp.float32)

    def step():
        nonlocal state
        state, loss = compiled(state, *inputs)
        return np.asarray(loss)
    return step


# Optimizers
#

def sgd(lr):
    return lambda p: (), lambda p, g, state, t: (p - lr * g, ())


def momentum_sgd(lr, momentum):
    def update(p, g, v, t):
        v = momentum * v - lr * g
        return p + v, v
    return jnp.zeros_like, update


def adam(alpha=0.001, beta1=0.9, beta2=0.999, eps=1e-8):
    def update(p, g, state, t):
        m, v = state
        m, v = m + (1 - beta1) * (g - m), v + (1 - beta2) * (g * g - v)
        rate = alpha * jnp.sqrt(1 - beta2 ** t) / (1 - beta1 ** t)
        return p - rate * m / (jnp.sqrt(v) + eps), (m, v)
    return lambda p: (jnp.zeros_like(p), jnp.zeros_like(p)), update


# Layers
#

def linear(numbers, inputs, outputs):
    return numbers.weight(outputs, inputs), np.zeros(outputs, 'f')


def affine(x, layer):
    w, b = layer
    return x @ w.T + b


def cross_entropy(y, t):
    picked = jnp.take_along_axis(jax.nn.log_softmax(y), t[:, None], 1)
    return -picked.mean()


def classified(predict):
    def lossfun(params, others, x, t):
        return cross_entropy(predict(params, x), t), ()
    return lossfun


# Rows
#

def small(length, residual=False):
    leaves = [jnp.asarray(small_array(i, 8, 8)) for i in range(3)]
    one = jnp.ones((8, 8))

    @jax.jit
    def grads(x, w, b, one):
        def forward(x, w, b):
            for _ in range(length):
                y = (jnp.tanh(x) + b) * w
                x = x + y if residual else y
            return x
        return jax.vjp(forward, x, w, b)[1](one)
    return lambda: np.asarray(grads(*leaves, one)[0])


residual = small


def perceptron(batch, sizes, optimizer='Adam'):
    numbers = Numbers()
    params = [linear(numbers, a, b) for a, b in zip(sizes, sizes[1:], strict=False)]
    x, t = numbers.input(batch, sizes[0]), numbers.labels(batch, sizes[-1])

    def predict(params, x):
        l1, l2, l3 = params
        return affine(jax.nn.relu(affine(jax.nn.relu(affine(x, l1)), l2)), l3)
    return train(params, sgd(0.01) if optimizer == 'SGD' else adam(),
                 classified(predict), x, t)


perceptron_sgd = perceptron_adam = perceptron


def lstm_cells(batch, units, length, words):
    numbers = Numbers()

    def gates():
        return np.concatenate([numbers.weight(units, units) for _ in range(4)])
    params = {'embed': numbers.weight(words, units),
              'out': linear(numbers, units, words), 'upward': (gates(), np.zeros(
                  4 * units, 'f')), 'lateral': gates()}
    text = np.stack([numbers.labels(batch, words) for _ in range(length + 1)])

    def lossfun(params, others, xs, ts):
        def cell(state, upward):
            c, h = state
            i, f, g, o = jnp.split(upward + h @ params['lateral'].T, 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (c, h), h
        zero = jnp.zeros((batch, units))
        _, hs = lax.scan(
            cell, (zero, zero), affine(params['embed'][xs], params['upward']))
        y = affine(hs, params['out']).reshape(-1, words)
        return cross_entropy(y, ts.reshape(-1)), ()
    return train(params, sgd(1.), lossfun, text[:-1], text[1:])


def cnn(batch, image, channels, classes):
    """Images have the channels last, which XLA computes faster on processors."""
    numbers = Numbers()
    layers = [{
        'w': numbers.weight(b, a, 3, 3).transpose(2, 3, 1, 0),
        'gamma': np.ones(b, 'f'), 'beta': np.zeros(b, 'f'),
    } for a, b in zip((3, *channels), channels, strict=False)]
    last = linear(numbers, channels[-1] * (image >> len(channels)) ** 2, classes)
    x = numbers.input(batch, 3, image, image).transpose(0, 2, 3, 1)
    t = numbers.labels(batch, classes)

    def lossfun(params, others, x, t):
        running = []
        for layer, (mean, var) in zip(params['layers'], others, strict=True):
            x = lax.conv_general_dilated(
                x, layer['w'], (1, 1), 'SAME',
                dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
            m, v = x.mean((0, 1, 2)), x.var((0, 1, 2))
            size = x.size // x.shape[-1]
            running.append((.9 * mean + .1 * lax.stop_gradient(m),
                            .9 * var + .1 * lax.stop_gradient(v) * size / (size - 1)))
            x = (x - m) * lax.rsqrt(v + 2e-5) * layer['gamma'] + layer['beta']
            x = lax.reduce_window(
                jax.nn.relu(x), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')
        y = affine(x.transpose(0, 3, 1, 2).reshape(len(x), -1), params['last'])
        return cross_entropy(y, t), running
    lossfun.others = [(jnp.zeros(b), jnp.ones(b)) for b in channels]
    return train({'layers': layers, 'last': last}, momentum_sgd(0.01, 0.9), lossfun,
                 x, t)


def transformer(batch, length, d, heads):
    numbers = Numbers()
    params = {name: linear(numbers, *sizes) for name, sizes in (
        ('qkv', (d, 3 * d)), ('out', (d, d)), ('up', (d, 4 * d)), ('down', (4 * d, d)))}
    for name in 'ln1', 'ln2':
        params[name] = np.ones(d, 'f'), np.zeros(d, 'f')
    x = numbers.input(batch, length, d)

    def normalized(x, layer):
        gamma, beta = layer
        m, v = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - m) * lax.rsqrt(v + 1e-6) * gamma + beta

    def lossfun(params, others, x):
        x = x.reshape(batch * length, d)
        h = affine(normalized(x, params['ln1']), params['qkv'])
        h = h.reshape(batch, length, 3, heads, d // heads)
        q, k, v = h.transpose(2, 0, 3, 1, 4)
        weights = jax.nn.softmax(
            jnp.matmul(q, k.swapaxes(-1, -2)) * (d / heads) ** -.5, -1)
        h = jnp.matmul(weights, v).transpose(0, 2, 1, 3).reshape(batch * length, d)
        x = x + affine(h, params['out'])
        h = jax.nn.relu(affine(normalized(x, params['ln2']), params['up']))
        return jnp.mean((x + affine(h, params['down'])) ** 2), ()
    return train(params, adam(), lossfun, x)
