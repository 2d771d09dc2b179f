#!/usr/bin/env python
"""Train an LSTM to write text, a character at a time.

    python examples/char_lstm/train_char_lstm.py
    python examples/char_lstm/train_char_lstm.py --text mine.txt --epoch 50
    python examples/char_lstm/train_char_lstm.py --resume result/char_lstm/model.npz \\
        --epoch 0 --start 'The value' --length 500

Without --text it reads the language reference that is part of Python. After 4 epochs,
in fifteen seconds on one core, it needs 2.1 bits per character for text that it has
not read, and writes *object is arguments exception is a listed in a complement*. It
writes the weights to model.npz in --out, from which --resume continues with the same
text.
"""
import argparse
import os
import re
import textwrap

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np


class CharLSTM(chainer.Chain):
    """From the numbers of characters to scores of the next ones; it keeps its state."""

    def __init__(self, n_characters, n_units):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_characters, 64)
            self.lstm = L.LSTM(64, n_units)
            self.output = L.Linear(n_units, n_characters)

    def reset_state(self):
        self.lstm.reset_state()

    def forward(self, x):
        return self.output(self.lstm(self.embed(x)))


def read_text(path):
    if path:
        with open(path, encoding='utf-8') as file:
            return file.read()
    from pydoc_data.topics import topics

    # Prose only, without code and tables; some topics share a paragraph.
    paragraphs = dict.fromkeys(
        ' '.join(paragraph.split()) for name in sorted(topics)
        for paragraph in topics[name].split('\n\n'))
    return '\n'.join(p for p in paragraphs if re.fullmatch(r'[A-Z][ -~]*\.', p))


def write(model, alphabet, start, length, temperature, random):
    """Return text that begins with start; the state of the model is not touched."""
    writer = model.copy()
    writer.reset_state()
    written = [alphabet.index(character) for character in start]
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        for i in range(len(start) + length - 1):
            scores = writer(writer.xp.array(written[i:i + 1], np.int32))
            if i + 1 == len(written):
                p = chainer.get_device('@numpy').send(
                    F.softmax(scores / temperature).array[0]).astype(np.float64)
                written.append(random.choice(len(p), p=p / p.sum()))
    return ''.join(alphabet[i] for i in written)


def bits_per_character(model, columns):
    """Return what the model needs on average to foretell a row from the one before."""
    reader = model.copy()
    reader.reset_state()
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        losses = [float(F.softmax_cross_entropy(reader(x), t).array)
                  for x, t in zip(columns, columns[1:])]
    return np.mean(losses) / np.log(2)


def to_columns(characters, n):
    """Cut a text into n pieces of equal length, one a column."""
    length = len(characters) // n
    return characters[:n * length].reshape(n, length).T


def train_epoch(model, optimizer, columns, n_back):
    """Read all columns side by side; yield the loss of each step, in bits."""
    model.reset_state()
    for start in range(0, len(columns) - n_back, n_back):
        loss = 0
        for i in range(start, start + n_back):
            loss += F.softmax_cross_entropy(model(columns[i]), columns[i + 1])
        model.cleargrads()
        loss.backward()
        # The state is kept, its graph is not: gradients go back n_back steps.
        loss.unchain_backward()
        optimizer.update()
        yield float(loss.array) / n_back / np.log(2)


def parse_args():
    parser = argparse.ArgumentParser(
        description='Chainer example: an LSTM writes text')
    parser.add_argument('--text', help='Text to learn from, in UTF-8')
    parser.add_argument('--batchsize', '-b', type=int, default=32,
                        help='Number of positions in the text that are read together')
    parser.add_argument('--bproplen', '-l', type=int, default=32,
                        help='Number of characters of backpropagation')
    parser.add_argument('--epoch', '-e', type=int, default=4,
                        help='Number of sweeps over the text; 0 only writes')
    parser.add_argument('--device', '-d', default='-1',
                        help='Device specifier: -1 or @numpy, 0 or @cupy:0, ...')
    parser.add_argument('--out', '-o', default='result/char_lstm',
                        help='Directory to output the result')
    parser.add_argument('--resume', '-r', help='Start from the weights in a model.npz')
    parser.add_argument('--unit', '-u', type=int, default=192,
                        help='Number of units of the LSTM')
    parser.add_argument('--start', default='The ',
                        help='What the written text starts with')
    parser.add_argument('--length', type=int, default=300,
                        help='Number of characters to write')
    parser.add_argument('--temperature', '-t', type=float, default=.7,
                        help='Low: repetitive and correct; high: random and wrong')
    parser.add_argument('--seed', type=int, default=0,
                        help='Seed of the weights and of the written text')
    return parser.parse_args()


def main():
    args = parse_args()
    device = chainer.get_device(args.device)
    device.use()
    np.random.seed(args.seed)

    text = read_text(args.text)
    alphabet = sorted(set(text))
    characters = np.searchsorted(alphabet, list(text)).astype(np.int32)
    split = len(characters) * 9 // 10
    train, test = [device.send(to_columns(part, args.batchsize))
                   for part in (characters[:split], characters[split:])]
    print('{} characters, {} different ones'.format(len(text), len(alphabet)))

    model = CharLSTM(len(alphabet), args.unit)
    if args.resume:
        chainer.serializers.load_npz(args.resume, model)
    model.to_device(device)
    optimizer = chainer.optimizers.Adam(4e-3)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(5))

    def sample(length, seed):
        return write(model, alphabet, args.start, length, args.temperature,
                     np.random.RandomState(seed))

    os.makedirs(args.out, exist_ok=True)
    n_steps = (len(train) - 1) // args.bproplen
    for epoch in range(1, args.epoch + 1):
        losses = []
        for loss in train_epoch(model, optimizer, train, args.bproplen):
            losses.append(loss)
            if len(losses) % 50 == 0:
                print('epoch {}, step {} of {}: {:.2f} bits per character'.format(
                    epoch, len(losses), n_steps, np.mean(losses[-50:])), flush=True)
        chainer.serializers.save_npz(os.path.join(args.out, 'model.npz'), model)
        print('epoch {}: {:.2f} bits, on text it does not learn from {:.2f}'.format(
            epoch, np.mean(losses), bits_per_character(model, test)))
        print(textwrap.indent(textwrap.fill(sample(140, epoch), 72), '    '))
    print()
    print(textwrap.fill(sample(args.length, args.seed), 76))


if __name__ == '__main__':
    main()
