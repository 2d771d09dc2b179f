"""
Sequence to sequence, with attention
====================================

This network turns dates in words into dates in figures, *the third of March nineteen
eighty-seven* into *1987-03-03*. One recurrent part reads the words letter by letter,
another writes the figures. Before each figure it chooses which letters of the words to
read. This is called attention, and it can be plotted.
"""
import calendar
import datetime
import random

import matplotlib.pyplot as plt
import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L

np.random.seed(0)
random.seed(0)

# %%
# The task
# --------
# A date can be spoken in two ways, and its year in several.

ONES, TENS = (words.split() for words in (
    'zero one two three four five six seven eight nine ten eleven twelve thirteen '
    'fourteen fifteen sixteen seventeen eighteen nineteen',
    'twenty thirty forty fifty sixty seventy eighty ninety'))
ORDINALS = {'one': 'first', 'two': 'second', 'three': 'third', 'five': 'fifth',
            'eight': 'eighth', 'nine': 'ninth', 'twelve': 'twelfth'}


def number(n):
    """Say a number below a hundred."""
    if n < 20:
        return ONES[n]
    return TENS[n // 10 - 2] + ('-' + ONES[n % 10] if n % 10 else '')


def ordinal(n):
    head, dash, last = number(n).rpartition('-')
    if last not in ORDINALS:
        last = last[:-1] + 'ieth' if last.endswith('y') else last + 'th'
    return head + dash + ORDINALS.get(last, last)


def year(n):
    century, rest = divmod(n, 100)
    if century == 20 and (rest < 10 or random.random() < .5):
        return 'two thousand' + (' and ' + number(rest) if rest else '')
    return number(century) + ' ' + (
        'hundred' if rest == 0 else 'oh ' + ONES[rest] if rest < 10 else number(rest))


def say(date):
    month = calendar.month_name[date.month]
    if random.random() < .5:
        return 'the %s of %s %s' % (ordinal(date.day), month, year(date.year))
    return '%s %s, %s' % (month, ordinal(date.day), year(date.year))


first = datetime.date(1900, 1, 1).toordinal()
last = datetime.date(2099, 12, 31).toordinal()
dates = [datetime.date.fromordinal(n)
         for n in random.sample(range(first, last + 1), 9000)]
pairs = [(say(date), date.isoformat()) for date in dates]
for words, figures in pairs[:5]:
    print('%-48s %s' % (words, figures))

# %%
# Letters and figures become numbers. The last thousand dates are for the test; none
# of them is among the others.

letters = sorted(set(''.join(words for words, _ in pairs)))
symbols = '0123456789-'


def encode(words, figures):
    return (np.array([letters.index(letter) for letter in words], np.int32),
            np.array([symbols.index(symbol) for symbol in figures], np.int32))


examples = [encode(*pair) for pair in pairs]
train, test = examples[:8000], examples[8000:]

# %%
# The network
# -----------
# ``NStepBiGRU`` accepts a list of arrays of different lengths, and reads each in both
# directions. The decoder performs a step for each symbol. A query is computed from
# its state, the score of a letter is the product of the query and the encoder's
# output for that letter, and the softmax of the scores is the attention. Positions
# after the end of a shorter text receive no attention.


class Translator(chainer.Chain):

    def __init__(self, n_units=96):
        super().__init__()
        with self.init_scope():
            self.embed_letter = L.EmbedID(len(letters), 32)
            self.encoder = L.NStepBiGRU(1, 32, n_units // 2, 0.)
            self.embed_symbol = L.EmbedID(len(symbols) + 1, 32)
            self.decoder = L.StatelessGRU(32 + n_units, n_units)
            self.question = L.Linear(n_units, n_units)
            self.output = L.Linear(2 * n_units, len(symbols))

    def read(self, texts):
        lengths = [len(text) for text in texts]
        embedded = F.split_axis(
            self.embed_letter(np.concatenate(texts)), np.cumsum(lengths)[:-1], axis=0)
        _, memory = self.encoder(None, embedded)
        absent = np.arange(max(lengths)) >= np.array(lengths)[:, None]
        return F.pad_sequence(memory), np.where(absent, -1e9, 0).astype(np.float32)

    def step(self, memory, mask, state, context, symbol):
        """Return the new state, where the network looks, what it sees, its forecast."""
        seen = F.concat([self.embed_symbol(symbol), context])
        state = self.decoder(state, seen)
        scores = F.matmul(memory, F.expand_dims(self.question(state), 2))[:, :, 0]
        attention = F.softmax(scores + mask)
        context = F.matmul(F.expand_dims(attention, 1), memory)[:, 0]
        return state, attention, context, self.output(F.concat([state, context]))

    def start(self, texts):
        memory, mask = self.read(texts)
        n, _, n_units = memory.shape
        zeros = np.zeros((n, n_units), np.float32)
        begin = np.full(n, len(symbols), np.int32)
        return memory, mask, zeros, zeros, begin

    def forward(self, texts, answers):
        """Return the loss: at each step the right symbol before is given."""
        memory, mask, state, context, symbol = self.start(texts)
        loss = 0
        for right in np.stack(answers, axis=1):
            state, _, context, forecast = self.step(
                memory, mask, state, context, symbol)
            loss += F.softmax_cross_entropy(forecast, right)
            symbol = right
        return loss / len(answers[0])

    def translate(self, texts):
        """Return the symbols and the attention: each symbol follows from the last."""
        memory, mask, state, context, symbol = self.start(texts)
        written, looked = [], []
        for _ in range(10):
            state, attention, context, forecast = self.step(
                memory, mask, state, context, symbol)
            symbol = forecast.array.argmax(axis=1).astype(np.int32)
            written.append(symbol)
            looked.append(attention.array)
        return np.stack(written, axis=1), np.stack(looked, axis=1)


model = Translator()
optimizer = chainer.optimizers.Adam(3e-3)
optimizer.setup(model)
optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(1))

# %%
# Training
# --------
# Texts differ in length, so a batch remains a list of pairs.


def test_right():
    """Return the share of right symbols and of right dates in the test, in percent."""
    texts, answers = zip(*test, strict=True)
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        right = model.translate(texts)[0] == np.stack(answers)
    return 100 * right.mean(), 100 * right.all(axis=1).mean()


n_steps = 500
losses, marks = [], [(0, *test_right())]
iterator = chainer.iterators.SerialIterator(train, 64)
for step in range(1, n_steps + 1):
    loss = model(*zip(*iterator.next(), strict=True))
    model.cleargrads()
    loss.backward()
    optimizer.update()
    losses.append(float(loss.array))
    if step % 50 == 0:
        marks.append((step, *test_right()))
        print('step %3d: loss %.3f, %3.0f %% of the dates right'
              % (step, losses[-1], marks[-1][2]))

figure, axes = plt.subplots(2, 1, figsize=(6.4, 5), layout='constrained', sharex=True)
axes[0].semilogy(losses, color='steelblue')
axes[0].set_ylabel('loss (nats per symbol)')
steps, right_symbols, right_dates = zip(*marks, strict=True)
axes[1].plot(steps, right_symbols, 'o-', color='darkorange', label='symbols')
axes[1].plot(steps, right_dates, 'o-', color='firebrick', label='whole dates')
axes[1].set_ylabel('right in the test (%)')
axes[1].set_xlabel('steps')
axes[1].legend()
for ax in axes:
    ax.grid(alpha=.3)
plt.show()

# %%
# Attention
# ---------
# Each row is a figure that was written, and shows the attention to each letter. The
# year is last in the words and first in the figures, so the attention starts at the
# end, and moves back for the month and the day. In the first text the day is before
# the month, in the second after it. The training data do not contain these positions.

asked = ['the twenty-third of October nineteen sixty-eight',
         'October twenty-third, nineteen sixty-eight']
with chainer.using_config('train', False), chainer.no_backprop_mode():
    written, looked = model.translate([encode(words, '')[0] for words in asked])

figure, axes = plt.subplots(2, 1, figsize=(6.4, 5.6), layout='constrained')
for ax, words, symbol, attention in zip(axes, asked, written, looked, strict=True):
    shades = ax.imshow(attention[:, :len(words)], aspect='auto',
                       cmap='Blues', vmin=0, vmax=1)
    ax.set_xticks(range(len(words)), words, family='monospace', va='baseline')
    ax.set_yticks(range(10), [symbols[i] for i in symbol], family='monospace')
    ax.tick_params(length=0, labelsize=9)
    ax.tick_params(axis='x', pad=11)
    ax.grid(axis='y', alpha=.3)
    ax.set_xlabel('letters that were read')
    ax.set_ylabel('symbols written')
figure.colorbar(shades, ax=axes, label='attention', shrink=.6)
# sphinx_gallery_thumbnail_number = 2
plt.show()

# %%
# Dates that the network gets wrong, if any:

texts, answers = zip(*test, strict=True)
with chainer.using_config('train', False), chainer.no_backprop_mode():
    written, _ = model.translate(texts)
wrong = np.flatnonzero((written != np.stack(answers)).any(axis=1))
print('%d of %d dates are wrong' % (len(wrong), len(test)))
for i in wrong[:5]:
    words, figures = pairs[8000 + i]
    print('%-48s %s, not %s' % (
        words, ''.join(symbols[k] for k in written[i]), figures))
