"""
A language model of characters
==============================

A recurrent network reads text a character at a time and learns to predict the next
one. Then it writes text: it draws a character from its prediction, reads this
character, and so on. The text is the language reference inside Python, which
``help('with')`` shows.
"""
import textwrap
from pydoc_data.topics import topics

import matplotlib.pyplot as plt
import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L

np.random.seed(0)

# %%
# The text
# --------
# Paragraphs of prose are kept, code and tables are not. Each character becomes a
# number.

paragraphs = [' '.join(paragraph.split()) for name in sorted(topics)
              for paragraph in topics[name].split('\n\n')]
paragraphs = list(dict.fromkeys(      # some topics share a paragraph
    p for p in paragraphs if p.isascii() and p[:1].isupper() and p.endswith('.')))
np.random.shuffle(paragraphs)
text = '\n'.join(paragraphs)
alphabet = sorted(set(text))
number = {character: i for i, character in enumerate(alphabet)}
data = np.array([number[character] for character in text], np.int32)
print('%d characters, %d different ones' % (len(data), len(alphabet)))
print(textwrap.fill(text[:300], 72))

# %%
# The last tenth is for the test. The rest is divided into 32 streams, which the network
# reads at the same time.

n_streams = 32
split = len(data) * 9 // 10
test = data[split:]
length = split // n_streams
streams = data[:length * n_streams].reshape(n_streams, length).T
print('%d streams of %d characters' % (n_streams, length))

# %%
# The network
# -----------
# ``L.LSTM`` keeps its state between calls, until ``reset_state()``.


class Model(chainer.Chain):

    def __init__(self, n_characters, n_units=192):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_characters, 64)
            self.lstm = L.LSTM(64, n_units)
            self.output = L.Linear(n_units, n_characters)

    def reset_state(self):
        self.lstm.reset_state()

    def forward(self, x):
        return self.output(self.lstm(self.embed(x)))


model = Model(len(alphabet))
optimizer = chainer.optimizers.Adam(4e-3)
optimizer.setup(model)
optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(5))

# %%
# Writing
# -------
# Softmax turns the output into probabilities. Divided by a temperature below 1, the
# output prefers what is likely.


def write(start='The ', n_characters=210, temperature=.7, seed=1):
    """Let a copy of the network continue the given text."""
    writer, random = model.copy(), np.random.RandomState(seed)
    writer.reset_state()
    written = list(start)
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        for i in range(n_characters):
            output = writer(np.array([number[written[i]]], np.int32))
            if i + 1 == len(written):
                p = F.softmax(output / temperature).array[0].astype(float)
                written.append(alphabet[random.choice(len(p), p=p / p.sum())])
    return textwrap.fill(''.join(written), 72)


# %%
# Training
# --------
# A stream is thousands of characters long, and so would be its graph. Therefore
# gradients are computed through only 32 characters: then ``unchain_backward()`` cuts
# the graph, while the state is kept. This is truncated backpropagation through time.
#
# The loss in bits is the size of a character in a file that is compressed with this
# model.


def bits(loss):
    return float(loss) / np.log(2)


def test_bits():
    """Read the text for the test in 20 streams; return bits per character."""
    reader = model.copy()
    reader.reset_state()
    n = len(test) // 20
    columns = test[:20 * n].reshape(20, n).T[:300]
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        losses = [F.softmax_cross_entropy(reader(x), t).array
                  for x, t in zip(columns[:-1], columns[1:], strict=True)]
    return bits(np.mean(losses))


n_steps, n_back = 1000, 32
learning, testing = [], []
position = 0
for step in range(n_steps + 1):
    if step in (0, 10, 50, 200, 1000):
        print('After %d steps:\n%s\n' % (step, textwrap.indent(write(), '    ')))
    if step % 50 == 0:
        testing.append((step, test_bits()))

    if position + n_back >= length:     # all is read: from the start again
        position = 0
        model.reset_state()
    loss = 0
    for i in range(position, position + n_back):
        loss += F.softmax_cross_entropy(model(streams[i]), streams[i + 1])
    position += n_back
    learning.append(bits(loss.array / n_back))

    model.cleargrads()
    loss.backward()
    loss.unchain_backward()
    optimizer.update()

# %%
# The network first learns the frequencies of letters, then short words, then most of
# the spelling, and finally phrases of the manual. The text still makes no sense.

figure, ax = plt.subplots(figsize=(6.4, 3.8), layout='constrained')
ax.plot(learning, color='lightsteelblue', label='text being learned')
ax.plot(*zip(*testing, strict=True), 'o-', color='firebrick', label='text for the test')
ax.axhline(np.log2(len(alphabet)), color='gray', linestyle=':',
           label='all characters equally likely')
ax.set_ylim(0, None)
ax.set_xlabel('steps')
ax.set_ylabel('bits per character')
ax.legend(loc='center right')
ax.grid(alpha=.3)
plt.show()

print('%.2f bits per character of the test' % testing[-1][1])

# %%
# Temperature
# -----------
# A low temperature makes the text repetitive, a high one makes it random.

for temperature in .3, .7, 1.2:
    print('Temperature %.1f:\n%s\n' % (
        temperature, textwrap.indent(write(temperature=temperature), '    ')))
