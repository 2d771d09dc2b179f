#!/usr/bin/env python
"""Train a sequence-to-sequence network with attention to read numbers in words.

    python examples/seq2seq/train_seq2seq.py
    python examples/seq2seq/train_seq2seq.py --resume result/seq2seq/snapshot_epoch_6 \\
        --read 'seven hundred and one'

The examples are generated: *forty thousand two hundred and one* becomes 40201. Words
are read letter by letter, and figures are written one at a time. After 6 epochs, in
twenty seconds on one core, all of 500 numbers that are not in the training data are
right. It writes to --out the log, a snapshot, and attention.png: for each written
figure, the attention to each letter.
"""
import argparse
import os

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions

ONES = ('zero one two three four five six seven eight nine ten eleven twelve thirteen '
        'fourteen fifteen sixteen seventeen eighteen nineteen').split()
TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split()
LETTERS = 'abcdefghijklmnopqrstuvwxyz -'
END = 10    # behind the last figure, and before the first


def say(n):
    """Return a number below a million in words."""
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10 - 2] + ('-' + ONES[n % 10] if n % 10 else '')
    unit, name, joint = (1000, ' thousand', ' ') if n >= 1000 else (
        100, ' hundred', ' and ')
    head, rest = divmod(n, unit)
    return say(head) + name + (joint + say(rest) if rest else '')


def encode(words):
    return np.array([LETTERS.index(letter) for letter in words], np.int32)


def make_examples(n, random):
    """Return letters and figures of different numbers, all lengths equally often."""
    numbers = set()
    while len(numbers) < n:
        numbers.add(int(10 ** random.uniform(0, 6)))
    return [(encode(say(k)), np.array([*map(int, str(k)), END], np.int32))
            for k in random.permutation(sorted(numbers))]


class Reader(chainer.Chain):
    """Reads letters, writes figures, and looks at letters in between."""

    def __init__(self, n_units):
        super().__init__()
        with self.init_scope():
            self.embed_letter = L.EmbedID(len(LETTERS), 32)
            self.encoder = L.NStepBiGRU(1, 32, n_units // 2, 0.)
            self.embed_figure = L.EmbedID(END + 1, 32)
            self.decoder = L.StatelessGRU(32 + n_units, n_units)
            self.question = L.Linear(n_units, n_units)
            self.output = L.Linear(2 * n_units, END + 1)

    def start(self, texts):
        """Read the texts; return them as memory, with a mask, and a first state."""
        lengths = np.array([len(text) for text in texts])
        letters = self.embed_letter(self.xp.concatenate(texts))
        _, memory = self.encoder(
            None, F.split_axis(letters, lengths[:-1].cumsum(), axis=0))
        memory = F.pad_sequence(memory)
        # Nothing is to be seen behind the end of a shorter text.
        absent = np.arange(max(lengths)) >= lengths[:, None]
        mask = self.xp.array(np.where(absent, -1e9, 0), np.float32)
        zeros = self.xp.zeros((len(texts), memory.shape[2]), np.float32)
        return memory, mask, zeros, zeros, self.xp.full(len(texts), END, np.int32)

    def step(self, memory, mask, state, context, figure):
        """Return the new state, the attention, what it sees there, and the scores."""
        state = self.decoder(state, F.concat([self.embed_figure(figure), context]))
        scores = F.matmul(memory, F.expand_dims(self.question(state), 2))[:, :, 0]
        attention = F.softmax(scores + mask)
        context = F.matmul(F.expand_dims(attention, 1), memory)[:, 0]
        return state, attention, context, self.output(F.concat([state, context]))

    def forward(self, texts, answers):
        """Return the loss, where each step gets the right figure before its own."""
        memory, mask, state, context, figure = self.start(texts)
        n_figures = sum(len(answer) for answer in answers)
        answers = F.pad_sequence(answers, padding=-1).array
        loss = 0
        for right in answers.T:
            state, _, context, scores = self.step(memory, mask, state, context, figure)
            # A label of -1 is left out.
            loss += F.softmax_cross_entropy(scores, right, normalize=False) * len(texts)
            figure = self.xp.maximum(right, 0)
        loss /= n_figures
        chainer.report({'loss': loss}, self)
        return loss

    def read(self, texts, limit=7):
        """Return figures of shape (texts, limit), each following from the last.

        The second result is the attention, of shape (texts, limit, letters).
        """
        with chainer.using_config('train', False), chainer.no_backprop_mode():
            memory, mask, state, context, figure = self.start(texts)
            written, looked = [], []
            for _ in range(limit):
                state, attention, context, scores = self.step(
                    memory, mask, state, context, figure)
                figure = scores.array.argmax(axis=1).astype(np.int32)
                written.append(figure)
                looked.append(attention.array)
        return chainer.get_device('@numpy').send(
            (self.xp.stack(written, axis=1), self.xp.stack(looked, axis=1)))


@chainer.dataset.converter()
def convert(batch, device):
    """Keep sequences of different lengths as lists."""
    texts, answers = zip(*batch)
    return device.send(list(texts)), device.send(list(answers))


def to_text(figures):
    """Return what stands before the end."""
    return ''.join('%d' % figure for figure in figures).split(str(END))[0]


def share_right(model, examples, device):
    """Return the share of numbers that are right in all figures."""
    texts, answers = convert(examples, device)
    written, _ = model.read(texts)
    return np.mean([to_text(figures) == to_text(answer)
                    for figures, (_, answer) in zip(written, examples)])


def plot_attention(path, words, figures, attention):
    """Draw a row for each figure, and a column for each letter."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 2.8), layout='constrained')
    ax = figure.subplots()
    rows = [*to_text(figures), 'end']
    shades = ax.imshow(attention[:len(rows), :len(words)], aspect='auto', cmap='Blues')
    ax.set_xticks(range(len(words)), words, family='monospace')
    ax.set_yticks(range(len(rows)), rows, family='monospace')
    figure.colorbar(shades, label='attention')
    figure.savefig(path)


def parse_args():
    parser = argparse.ArgumentParser(
        description='Chainer example: numbers in words become figures')
    parser.add_argument('--batchsize', '-b', type=int, default=64,
                        help='Number of numbers in each mini-batch')
    parser.add_argument('--epoch', '-e', type=int, default=6,
                        help='Number of sweeps over the examples to train')
    parser.add_argument('--device', '-d', default='-1',
                        help='Device specifier: -1 or @numpy, 0 or @cupy:0, ...')
    parser.add_argument('--out', '-o', default='result/seq2seq',
                        help='Directory to output the result')
    parser.add_argument('--resume', '-r', help='Resume the training from a snapshot')
    parser.add_argument('--read', default='three hundred and six thousand and ninety',
                        help='Words to read at the end')
    parser.add_argument('--examples', type=int, default=8000,
                        help='Number of examples to learn from')
    parser.add_argument('--unit', '-u', type=int, default=96,
                        help='Number of units of the state')
    parser.add_argument('--seed', type=int, default=0,
                        help='Seed of the weights and of the examples')
    return parser.parse_args()


def main():
    args = parse_args()
    device = chainer.get_device(args.device)
    device.use()
    np.random.seed(args.seed)

    examples = make_examples(args.examples + 500, np.random.RandomState(args.seed))
    train, test = examples[:-500], examples[-500:]
    for letters, figures in train[:3]:
        print(to_text(figures), 'from', ''.join(LETTERS[i] for i in letters))

    model = Reader(args.unit)
    model.to_device(device)
    optimizer = chainer.optimizers.Adam(3e-3)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(1))

    iterator = chainer.iterators.SerialIterator(train, args.batchsize)
    updater = training.updaters.StandardUpdater(
        iterator, optimizer, converter=convert, device=device)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)

    @training.make_extension(trigger=(1, 'epoch'), priority=training.PRIORITY_WRITER)
    def validate(trainer):
        chainer.report({'validation/right': share_right(model, test, device)})

    trainer.extend(validate)
    trainer.extend(extensions.snapshot(
        filename='snapshot_epoch_{.updater.epoch}', n_retains=1))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(
        ['epoch', 'main/loss', 'validation/right', 'elapsed_time']))
    trainer.extend(extensions.ProgressBar(update_interval=10))
    if args.resume:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()

    print('Right in the test: {:.1%}'.format(share_right(model, test, device)))
    figures, attention = model.read(device.send([encode(args.read)]))
    print('{} is {}'.format(args.read, to_text(figures[0])))
    if extensions.PlotReport.available():
        plot_attention(os.path.join(args.out, 'attention.png'), args.read, figures[0],
                       attention[0])
    print('Results in', args.out)


if __name__ == '__main__':
    main()
