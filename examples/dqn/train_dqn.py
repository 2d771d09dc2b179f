#!/usr/bin/env python
"""Learn to balance a pole on a cart by deep Q-learning (double DQN).

    python examples/dqn/train_dqn.py
    python examples/dqn/train_dqn.py --resume result/dqn/model.npz --steps 0

The network estimates for each action the sum of the following discounted rewards. It
learns from steps that are stored in a buffer, in random order. After 5000 steps, in
three seconds on one core, the pole remains upright in all of the 200 steps of an
episode; at first it falls after 10. It writes the best weights to model.npz in --out,
and the length of the episodes to return.png.
"""
import argparse
import os

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from cart_pole import CartPole


class QNetwork(chainer.Chain):
    """From states to the value of each action."""

    def __init__(self, n_actions, n_units):
        super().__init__()
        with self.init_scope():
            self.hidden1 = L.Linear(CartPole.n_states, n_units)
            self.hidden2 = L.Linear(n_units, n_units)
            self.output = L.Linear(n_units, n_actions)

    def forward(self, states):
        h = F.relu(self.hidden1(states))
        h = F.relu(self.hidden2(h))
        return self.output(h)


class ReplayBuffer:
    """The latest steps: states, actions, rewards, states that followed, failures."""

    def __init__(self, capacity, n_states):
        self.fields = (
            np.empty((capacity, n_states), np.float32), np.empty(capacity, np.int32),
            np.empty(capacity, np.float32), np.empty((capacity, n_states), np.float32),
            np.empty(capacity, np.float32))
        self.capacity, self.count = capacity, 0

    def append(self, *step):
        for field, value in zip(self.fields, step):
            field[self.count % self.capacity] = value
        self.count += 1

    def sample(self, n):
        chosen = np.random.randint(0, min(self.count, self.capacity), n)
        return tuple(field[chosen] for field in self.fields)


def best_action(model, state):
    with chainer.no_backprop_mode():
        values = model(model.xp.asarray(state[None])).array
    return int(values.argmax())


def update(model, target, optimizer, batch, discount):
    states, actions, rewards, followers, failed = batch
    with chainer.no_backprop_mode():
        # The model chooses the action and the target estimates its value: the same
        # network for both would overestimate it.
        following = F.select_item(
            target(followers), model(followers).array.argmax(axis=1)).array
        wanted = rewards + discount * (1 - failed) * following
    loss = F.mean(F.huber_loss(
        F.select_item(model(states), actions), wanted, 1., reduce='no'))
    model.cleargrads()
    loss.backward()
    optimizer.update()


def evaluate(model, environment, episodes):
    """Return the mean length of episodes without random actions."""
    lengths = []
    for _ in range(episodes):
        state, over = environment.reset(), False
        while not over:
            state, _, _, over = environment.step(best_action(model, state))
        lengths.append(environment.steps)
    return np.mean(lengths)


def plot(path, ends, lengths):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), layout='constrained')
    ax = figure.subplots()
    ax.plot(ends, lengths, '.')
    ax.set_xlabel('steps')
    ax.set_ylabel('length of the episode (steps)')
    figure.savefig(path)


def parse_args():
    parser = argparse.ArgumentParser(
        description='Chainer example: deep Q-learning balances a pole')
    parser.add_argument('--batchsize', '-b', type=int, default=64,
                        help='Number of remembered steps in each update')
    parser.add_argument('--steps', '-s', type=int, default=8000,
                        help='Number of steps to learn from; 0 only evaluates')
    parser.add_argument('--device', '-d', default='-1',
                        help='Device specifier: -1 or @numpy, 0 or @cupy:0, ...')
    parser.add_argument('--out', '-o', default='result/dqn',
                        help='Directory to output the result')
    parser.add_argument('--resume', '-r', help='Start from the weights in a model.npz')
    parser.add_argument('--unit', '-u', type=int, default=128,
                        help='Number of units of the hidden layers')
    parser.add_argument('--discount', type=float, default=.99,
                        help='Discount of a reward one step later')
    parser.add_argument('--target-interval', type=int, default=500,
                        help='Steps between two copies of the network to the target')
    parser.add_argument('--learnrate', '-l', type=float, default=5e-4,
                        help='Learning rate of Adam, which decreases linearly to 0')
    parser.add_argument('--seed', type=int, default=0,
                        help='Seed of the weights, the actions and the cart')
    return parser.parse_args()


def main():
    args = parse_args()
    device = chainer.get_device(args.device)
    device.use()
    np.random.seed(args.seed)

    environment = CartPole(np.random.RandomState(args.seed))
    trial = CartPole(np.random.RandomState(args.seed + 1))
    model = QNetwork(CartPole.n_actions, args.unit)
    if args.resume:
        chainer.serializers.load_npz(args.resume, model)
    model.to_device(device)
    target = model.copy(mode='copy')
    optimizer = chainer.optimizers.Adam(args.learnrate)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(10))

    buffer = ReplayBuffer(50000, CartPole.n_states)
    os.makedirs(args.out, exist_ok=True)
    path = os.path.join(args.out, 'model.npz')
    ends, lengths, best = [], [], 0
    state = environment.reset()
    for step in range(1, args.steps + 1):
        # At first all actions are random, later one in fifty.
        if np.random.rand() < max(.02, 1 - 4 * step / args.steps):
            action = np.random.randint(CartPole.n_actions)
        else:
            action = best_action(model, state)
        follower, reward, failed, over = environment.step(action)
        buffer.append(state, action, reward, follower, failed)
        state = follower
        if over:
            ends.append(step)
            lengths.append(environment.steps)
            state = environment.reset()
        optimizer.alpha = args.learnrate * (1 - step / args.steps)
        if step >= 500:
            update(model, target, optimizer, device.send(buffer.sample(args.batchsize)),
                   args.discount)
        if step % args.target_interval == 0:
            target.copyparams(model)
        if step % 1000 == 0:
            length = evaluate(model, trial, 10)
            print('step {}: the last 10 episodes lasted {:.1f} steps, without random '
                  'actions {:.1f}'.format(step, np.mean(lengths[-10:]), length),
                  flush=True)
            # What was learnt may be forgotten again, so the best weights are kept.
            if length >= best:
                best = length
                chainer.serializers.save_npz(path, model)

    if best:
        chainer.serializers.load_npz(path, model)
    if lengths and chainer.training.extensions.PlotReport.available():
        plot(os.path.join(args.out, 'return.png'), ends, lengths)
    print('Without random actions, episodes last {:.1f} of {} steps'.format(
        evaluate(model, trial, 50), CartPole.max_steps))
    print('Results in', args.out)


if __name__ == '__main__':
    main()
