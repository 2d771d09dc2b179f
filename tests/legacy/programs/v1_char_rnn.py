# Chainer 1.24, Python 3.6
"""A model of characters: two layers of LSTM made of Linear, states passed by hand."""
import numpy as np

from chainer import FunctionSet, Variable, optimizers  # removed: chainer.FunctionSet
import chainer.functions as F

text = 'the quick brown fox jumps over the lazy dog. ' * 3
vocab = dict((c, i) for i, c in enumerate(sorted(set(text))))
data = np.array([vocab[c] for c in text], dtype=np.int32)


class CharRNN(FunctionSet):

    def __init__(self, n_vocab, n_units):
        super(CharRNN, self).__init__(
            embed=F.EmbedID(n_vocab, n_units),  # removed: chainer.functions.EmbedID
            l1_x=F.Linear(n_units, 4 * n_units),  # removed: chainer.functions.Linear
            l1_h=F.Linear(n_units, 4 * n_units),  # removed: chainer.functions.Linear
            l2_h=F.Linear(n_units, 4 * n_units),  # removed: chainer.functions.Linear
            l2_x=F.Linear(n_units, 4 * n_units),  # removed: chainer.functions.Linear
            l3=F.Linear(n_units, n_vocab))  # removed: chainer.functions.Linear
        for i, param in enumerate(self.parameters):  # removed: chainer.FunctionSet.parameters
            param[:] = np.random.RandomState(i).uniform(-0.08, 0.08, param.shape)

    def forward_one_step(self, x_data, y_data, state, train=True, dropout_ratio=0.5):
        x = Variable(x_data, volatile=not train)  # removed: chainer.Variable(volatile=)
        t = Variable(y_data, volatile=not train)  # removed: chainer.Variable(volatile=)
        h0 = self.embed(x)
        h1_in = self.l1_x(F.dropout(h0, ratio=dropout_ratio, train=train)) + self.l1_h(  # removed: chainer.functions.dropout(train=)
            state['h1'])
        c1, h1 = F.lstm(state['c1'], h1_in)
        h2_in = self.l2_x(F.dropout(h1, ratio=dropout_ratio, train=train)) + self.l2_h(  # removed: chainer.functions.dropout(train=)
            state['h2'])
        c2, h2 = F.lstm(state['c2'], h2_in)
        y = self.l3(F.dropout(h2, ratio=dropout_ratio, train=train))  # removed: chainer.functions.dropout(train=)
        state = {'c1': c1, 'h1': h1, 'c2': c2, 'h2': h2}
        return state, F.softmax_cross_entropy(y, t)


def make_initial_state(n_units, train=True):
    return dict((name, Variable(np.zeros((1, n_units), dtype=np.float32),  # removed: chainer.Variable(volatile=)
                                volatile=not train))
                for name in ('c1', 'h1', 'c2', 'h2'))


np.random.seed(3)
model = CharRNN(len(vocab), 8)
optimizer = optimizers.RMSprop(lr=2e-3, alpha=0.95, eps=1e-8)
optimizer.setup(model.collect_parameters())  # removed: chainer.FunctionSet.collect_parameters
state = make_initial_state(8)
accum_loss = Variable(np.zeros((), dtype=np.float32))
for i in range(40):
    state, loss_i = model.forward_one_step(
        data[i:i + 1], data[i + 1:i + 2], state, dropout_ratio=0.3)
    accum_loss += loss_i
    if (i + 1) % 10 == 0:
        optimizer.zero_grads()  # removed: chainer.Optimizer.zero_grads
        accum_loss.backward()
        accum_loss.unchain_backward()
        optimizer.clip_grads(5)  # removed: chainer.Optimizer.clip_grads
        optimizer.update()
        print('loss %.6f' % (float(accum_loss.data) / 10))
        accum_loss = Variable(np.zeros((), dtype=np.float32))
state = make_initial_state(8, train=False)
total = 0
for i in range(10):
    state, loss = model.forward_one_step(data[i:i + 1], data[i + 1:i + 2], state, train=False)
    total += float(loss.data)
print('test %.6f' % (total / 10))
