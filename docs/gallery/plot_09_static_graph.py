"""
A graph that stays the same
===========================

Chainer builds a new graph in every call, while the program runs. Therefore any program
can be a model, but every function takes time. ``chainer.static_graph`` declares that a
part of a model does the same in every call. Then its first calls are recorded, and
later ones repeat the recording without running the Python code.
"""
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L

images = (load_digits().images / 16).astype(np.float32)

# %%
# Three chains
# ------------
# The decorator goes above ``forward``; nothing else changes. The first chain has
# few functions and large matrix products.


class Perceptron(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.hidden1 = L.Linear(64, 100)
            self.hidden2 = L.Linear(100, 100)
            self.output = L.Linear(100, 10)

    @chainer.static_graph
    def forward(self, x):
        h = F.relu(self.hidden1(x.reshape(-1, 64)))
        return self.output(F.relu(self.hidden2(h)))


# %%
# The second reads a picture row by row, with a gated cell that is written out in
# functions: eleven for each of the rows.


class RowReader(chainer.Chain):

    def __init__(self, n_units=32):
        super().__init__()
        with self.init_scope():
            self.row_gate = L.Linear(8, n_units)
            self.own_gate = L.Linear(n_units, n_units, nobias=True)
            self.row = L.Linear(8, n_units)
            self.own = L.Linear(n_units, n_units, nobias=True)
            self.output = L.Linear(n_units, 10)

    @chainer.static_graph
    def forward(self, *rows):
        h = F.tanh(self.row(rows[0]))
        for row in rows[1:]:
            gate = F.sigmoid(self.row_gate(row) + self.own_gate(h))
            h = h + gate * (F.tanh(self.row(row) + self.own(h)) - h)
        return self.output(h)


# %%
# The third has no matrices at all. It is the model of Lotka and Volterra of hares and
# lynxes: hares multiply and are eaten, lynxes multiply by eating and die. With
# logarithms of the numbers, a small step in time takes eight functions, and a year is
# 20 steps.


class HaresAndLynxes(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            # Logarithms of four rates, and of both numbers at the start.
            self.birth = chainer.Parameter(np.log(np.float32([.6])))
            self.eaten = chainer.Parameter(np.log(np.float32([.03])))
            self.eating = chainer.Parameter(np.log(np.float32([.03])))
            self.death = chainer.Parameter(np.log(np.float32([.9])))
            self.start = chainer.Parameter(np.log(np.float32([30, 5])))

    @chainer.static_graph
    def forward(self, step):
        birth, eaten = F.exp(self.birth) * step, F.exp(self.eaten) * step
        death, eating = F.exp(self.death) * step, F.exp(self.eating) * step
        hares, lynxes = F.split_axis(self.start, 2, axis=0)
        years = [hares, lynxes]
        for _ in range(20):
            for _ in range(20):
                hares = hares + (birth - eaten * F.exp(lynxes))
                lynxes = lynxes + (eating * F.exp(hares) - death)
            years += [hares, lynxes]
        return F.concat(years, axis=0)


# %%
# The same numbers
# ----------------
# A recording computes the same as the chain. Here the chain learns the rates from the
# skins that the Hudson's Bay Company bought from 1900 to 1920, in thousands, once
# with and once without a recording. With ``use_static_graph`` set to False, the
# decorator does nothing.

HARES = [30, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22, 25.4, 27.1, 40.3, 57, 76.6,
         52.3, 19.5, 11.2, 7.6, 14.6, 16.2, 24.7]
LYNXES = [4, 6.1, 9.8, 35.2, 59.4, 41.7, 19, 13, 8.3, 9.1, 7.4, 8, 12.3, 19.5, 45.7,
          51.1, 29.7, 15.8, 9.7, 10.1, 8.6]
skins = np.stack([HARES, LYNXES], axis=1).astype(np.float32)
step = np.float32([1 / 20])


def learn(static):
    model = HaresAndLynxes()
    optimizer = chainer.optimizers.Adam(.01).setup(model)
    losses = []
    with chainer.using_config('use_static_graph', static):
        for _ in range(300):
            loss = F.mean_squared_error(model(step), np.log(skins).ravel())
            model.cleargrads()
            loss.backward()
            optimizer.update()
            losses.append(float(loss.array))
    return model, losses


start = time.process_time()
_, plain = learn(False)
middle = time.process_time()
model, static = learn(True)
end = time.process_time()
print('not static: loss %.6f after %.2f s' % (plain[-1], middle - start))
print('static:     loss %.6f after %.2f s' % (static[-1], end - middle))
print('largest difference of the losses on the way: %g'
      % np.abs(np.subtract(plain, static)).max())

with chainer.no_backprop_mode():
    fitted = np.exp(model(step).array).reshape(-1, 2)
years = np.arange(1900, 1921)
figure, ax = plt.subplots(figsize=(6.4, 3.6), layout='constrained')
for i, (name, color) in enumerate([('hares', 'darkorange'), ('lynxes', 'steelblue')]):
    ax.plot(years, skins[:, i], 'o', color=color, label=name + ', counted')
    ax.plot(years, fitted[:, i], color=color, label=name + ', learned')
ax.set_xticks(years[::5])
ax.set_xlabel('year')
ax.set_ylabel('skins (thousands)')
ax.set_ylim(0, 100)
ax.legend(ncols=2, loc='upper right')
plt.show()

# %%
# The time of a call
# ------------------
# The first two calls are recorded and compared, which takes time, and each direction is
# prepared when it is used for the first time. All later calls use the recording.


def call_times(model, inputs, n=40):
    """Return the milliseconds of some calls, each with its backward pass."""
    times = []
    for _ in range(n):
        start = time.process_time()
        loss = F.sum(model(*inputs))
        model.cleargrads()
        loss.backward()
        times.append(1000 * (time.process_time() - start))
    return times


# The rows are copied, so that each lies in one piece: strided arrays take longer.
cases = [
    ('perceptron', Perceptron, [images[:32]]),
    ('row reader', RowReader, list(images[:32].transpose(1, 0, 2).copy())),
    ('hares and lynxes', HaresAndLynxes, [step]),
]
times = {}
for name, make, inputs in cases:
    with chainer.using_config('use_static_graph', False):
        times[name] = [call_times(make(), inputs)]
    times[name].append(call_times(make(), inputs))

figure, ax = plt.subplots(figsize=(6.4, 3.6), layout='constrained')
calls = np.arange(1, 11)
plain, static = times['hares and lynxes']
ax.semilogy(calls, plain[:10], 'o-', color='steelblue', label='not static')
ax.semilogy(calls, static[:10], 'o-', color='firebrick', label='static')
ax.set_xticks(calls)
ax.set_xlabel('call of the model of hares and lynxes')
ax.set_ylabel('processor time, forward and backward (ms)')
ax.legend()
ax.grid(alpha=.3)
plt.show()

# %%
# A recording saves the time of Python and of the graph. This is most of the time if
# there are many functions and small arrays, and little of it if matrix products take
# most of the time. The bars show the fastest call of each.

names = [name for name, _, _ in cases]
fastest = np.array([[min(series[5:]) for series in times[name]] for name in names])
figure, ax = plt.subplots(figsize=(6.4, 3.2), layout='constrained')
rows = np.arange(len(names))
for shift, color, label, values in (
        (-.19, 'steelblue', 'not static', fastest[:, 0]),
        (.19, 'firebrick', 'static', fastest[:, 1])):
    bars = ax.barh(rows + shift, values, .36, color=color, label=label)
    ax.bar_label(bars, fmt=' %.3g')
ax.set_xscale('log')
ax.set_xlim(fastest.min() / 2, fastest.max() * 2)
ax.set_yticks(rows, names)
ax.invert_yaxis()
ax.set_xlabel('processor time, forward and backward (ms)')
ax.legend(loc='upper right')
# sphinx_gallery_thumbnail_number = 3
plt.show()

for name, (plain, static) in zip(names, fastest, strict=True):
    print('%-16s  %5.1f times as fast' % (name, plain / static))

# %%
# What is not static
# ------------------
# A chain that does not do the same every time is not repeated. It runs as without the
# decorator, and reports the reason.


class Undecided(Perceptron):

    def __init__(self):
        super().__init__()
        self.n_calls = 0

    @chainer.static_graph
    def forward(self, x):
        self.n_calls += 1
        h = F.relu(self.hidden1(x.reshape(-1, 64)))
        if self.n_calls % 2:
            h = F.relu(self.hidden2(h))
        return self.output(h)


model = Undecided()
for _ in range(3):
    model(images[:32])
print('called %d times' % model.n_calls)
print(*model.schedule_manager.calls.refused.values())
