"""Links, some of them recurrent, and PyTorch's functions of the same weights."""
import numpy as np
from sweep.kinds import Kind, Made

CELL = {'1x128': {'n': 1, 'k': 128}, 'small': {'n': 4, 'k': 16},
        'medium': {'n': 20, 'k': 128}, '20x650': {'n': 20, 'k': 650},
        '100x512': {'n': 100, 'k': 512}}


def gates_of_torch(operands):
    """Return operands whose gates are where PyTorch has them.

    In ours the gates of a unit are adjacent: input, in-gate, forget, out.
    """
    def gates(w):
        return np.concatenate([w[gate::4] for gate in (1, 2, 0, 3)])
    return {name: x if name == 'x' else gates(x) for name, x in operands.items()}


LSTM = Kind('LSTM cell', 'x[n,k] upward_W[4*k,k] upward_b[4*k] lateral_W[4*k,k]', CELL,
            '''
    LSTM, 3 steps | (link.reset_state(), link(x), link(x), link(x))[3] | (\
lambda step: step(*step(*step(0 * x, 0 * x)))[0])(lambda h, c: torch.lstm_cell(x, \
(h, c), upward_W, lateral_W, upward_b, 0 * upward_b)) | L.LSTM(k, k)
''', dtypes='f', for_torch=gates_of_torch)
FUNCTION = Kind('LSTM cell', 'x[n,4*k] c[n,k]', CELL, '''
    lstm          | F.lstm(c, x) | (lambda a, i, f, o: (lambda c: (c, torch.sigmoid(o) \
* torch.tanh(c)))(torch.tanh(a) * torch.sigmoid(i) + torch.sigmoid(f) * c))(\
*x.reshape(n, k, 4).unbind(2))
    slstm         | F.slstm(c, c, x, x) |
    tree_lstm     | F.tree_lstm(c, c, F.concat([x, c])) |
''', dtypes='f')
GATED = Kind('GRU cell', 'x[n,k]', CELL, '''
    ~GRU          | (link.reset_state(), link(x), link(x))[2] | | L.GRU(k, k)
    ~StatefulGRU  | (link.reset_state(), link(x), link(x))[2] | | L.StatefulGRU(k, k)
    ~StatefulMGU  | (link.reset_state(), link(x), link(x))[2] | | L.StatefulMGU(k, k)
    ~StatefulPeepholeLSTM | (link.reset_state(), link(x), link(x))[2] | | \
L.StatefulPeepholeLSTM(k, k)
    ~StatefulZoneoutLSTM | (link.reset_state(), link(x), link(x))[2] | | \
L.StatefulZoneoutLSTM(k, k)
    ~StatelessLSTM | link(x, x, x)     | | L.StatelessLSTM(k, k)
    ~StatelessMGU | link(x, x)         | | L.StatelessMGU(k, k)
    ~StatelessGRU | link(x, x)         | | L.StatelessGRU(k, k)
    ~Highway      | link(x)            | | L.Highway(k)
    ~Maxout       | link(x)            | | L.Maxout(k, k, 2)
    ~ChildSumTreeLSTM | link(x, x, x, x, x) | | L.ChildSumTreeLSTM(k, k)
    ~NaryTreeLSTM | link(x, x, x, x, x) | | L.NaryTreeLSTM(k, k, 2)
''', dtypes='f')
STACKS = Kind('steps of a sequence', 'x[n,k] h[1,2,k]', {
    'small': {'n': 8, 'k': 16}, 'medium': {'n': 30, 'k': 128}}, ''.join('''
    ~%s | link(h, %s[x, x])[-1][0] | | L.%s(1, k, k, 0)
''' % (name, 'h, ' if 'LSTM' in name else '', name) for name in (
    'NStepGRU', 'NStepLSTM', 'NStepRNNTanh', 'NStepRNNReLU')), dtypes='f')
BOTH = Kind('steps of a sequence', 'x[n,k] h[2,2,k]', STACKS.sizes, ''.join('''
    ~%s | link(h, %s[x, x])[-1][0] | | L.%s(1, k, k, 0)
''' % (name, 'h, ' if 'LSTM' in name else '', name) for name in (
    'NStepBiGRU', 'NStepBiLSTM', 'NStepBiRNNTanh', 'NStepBiRNNReLU')), dtypes='f')
NSTEP = Made('steps of a sequence', 'n_step_lstm', {
    **{'length %d' % n: {'n': 8, 'length': n, 'units': 64, 'layers': 1}
       for n in (10, 100, 1000)},
    **{'batch %d' % n: {'n': n, 'length': 20, 'units': 64, 'layers': 1}
       for n in (1, 10, 100, 1000)},
    'medium': {'n': 16, 'length': 30, 'units': 256, 'layers': 2}})
CTC = Made('loss of sequences', 'connectionist_temporal_classification', {
    'length %d' % n: {'length': n, 'n': 4, 'symbols': 30, 'labels': 5}
    for n in (10, 100, 400)})

PLAIN = {'small': {'n': 8, 'k': 16, 'm': 16}, 'medium': {'n': 100, 'k': 784, 'm': 100},
         'large': {'n': 128, 'k': 1024, 'm': 1024}}
LINKS = Kind('link', 'x[n,k] W[m,k] b[m]', PLAIN, '''
    Linear        | link(x)            | T.linear(x, W, b) | L.Linear(k, m)
''')
IMAGES = {'small': {'n': 2, 'k': 4, 'p': 8}, 'medium': {'n': 8, 'k': 32, 'p': 28},
          'large': {'n': 32, 'k': 64, 'p': 28}}
OF_IMAGES = Kind('link', 'x[n,k,p,p] W[k,k,3,3] b[k]', IMAGES, '''
    Convolution2D | link(x)            | T.conv2d(x, W, b, 1, 1) | \
L.Convolution2D(k, k, 3, 1, 1)
    ConvolutionND | link(x)            | T.conv2d(x, W, b, 1, 1) | \
L.ConvolutionND(2, k, k, 3, 1, 1)
    DilatedConvolution2D | link(x)     | T.conv2d(x, W, b, 1, 2, 2) | \
L.DilatedConvolution2D(k, k, 3, 1, 2, 2)
    Deconvolution2D | link(x)          | T.conv_transpose2d(x, W, b, 1, 1) | \
L.Deconvolution2D(k, k, 3, 1, 1)
    DeconvolutionND | link(x)          | T.conv_transpose2d(x, W, b, 1, 1) | \
L.DeconvolutionND(2, k, k, 3, 1, 1)
''', dtypes='f')
OF_LINES = Kind('link', 'x[n,k,p] W[k,k,3] b[k]', IMAGES, '''
    Convolution1D | link(x)            | T.conv1d(x, W, b, 1, 1) | \
L.Convolution1D(k, k, 3, 1, 1)
    Deconvolution1D | link(x)          | T.conv_transpose1d(x, W, b, 1, 1) | \
L.Deconvolution1D(k, k, 3, 1, 1)
''', dtypes='f')
OF_VOLUMES = Kind('link', 'x[n,k,p,p,p] W[k,k,3,3,3] b[k]', {
    'small': {'n': 1, 'k': 2, 'p': 4}, 'medium': {'n': 2, 'k': 16, 'p': 16}}, '''
    Convolution3D | link(x)            | T.conv3d(x, W, b, 1, 1) | \
L.Convolution3D(k, k, 3, 1, 1)
    Deconvolution3D | link(x)          | T.conv_transpose3d(x, W, b, 1, 1) | \
L.Deconvolution3D(k, k, 3, 1, 1)
''', dtypes='f')
OF_CHANNELS = Kind('link', 'x[n,k,p,p] gamma[k] beta[k]', IMAGES, '''
    BatchNormalization | link(x)       | \
T.batch_norm(x, None, None, gamma, beta, True, .1, 2e-5) | L.BatchNormalization(k)
    GroupNormalization | link(x)       | T.group_norm(x, 2, gamma, beta, 1e-5) | \
L.GroupNormalization(2, k)
''', dtypes='f')
SCALES = Kind('link', 'x[n,k] W[k]', PLAIN, '''
    PReLU         | link(x)            | T.prelu(x, W) | L.PReLU((k,))
    Scale         | link(x)            | x * W         | L.Scale(1, (k,))
''', dtypes='f')
WORDS = Kind('link', 'W[m,k] i[n]<m', PLAIN, '''
    EmbedID       | link(i)            | T.embedding(i, W) | L.EmbedID(m, k)
''', dtypes='f')
ALONE = Kind('link', 'x[n,k,p,p]', IMAGES, '''
    ~DepthwiseConvolution2D | link(x)  | | L.DepthwiseConvolution2D(k, 2, 3, 1, 1)
    ~LocalConvolution2D | link(x)      | | L.LocalConvolution2D(k, k, p, 3)
    ~DeformableConvolution2D | link(x) | | L.DeformableConvolution2D(k, k, 3, 1, 1)
    ~MLPConvolution2D | link(x)        | | L.MLPConvolution2D(k, (k, k), 1)
    ~Inception    | link(x)            | | L.Inception(k, k, k, k, k, k, k)
    ~InceptionBN  | link(x)            | | L.InceptionBN(k, k, k, k, k, k, 'avg', k)
    ~BatchRenormalization | link(x)    | | L.BatchRenormalization(k)
    ~DecorrelatedBatchNormalization | link(x) | | \
L.DecorrelatedBatchNormalization(k, 2)
''', dtypes='f')
OF_ROWS = Kind('link', 'x[n,k]', PLAIN, '''
    ~LayerNormalization | link(x)      | | L.LayerNormalization(k)
    ~Bias         | link(x)            | | L.Bias(1, (k,))
    ~Bilinear     | link(x[:, :8], x[:, :8]) | | L.Bilinear(8, 8, m)
    ~Swish        | link(x)            | | L.Swish((k,))
    ~SimplifiedDropconnect | link(x)   | | L.SimplifiedDropconnect(k, m)
    ~Parameter    | x * link()[0]      | | L.Parameter(np.ones((1, k), 'f'))
''', dtypes='f')
SAMPLED = Kind('link', 'x[n,k] t[n]<m', PLAIN, '''
    ~NegativeSampling | link(x, t)     | | L.NegativeSampling(k, [1] * m, 5)
    ~BlackOut     | link(x, t)         | | L.BlackOut(k, [1] * m, 5)
    ~BinaryHierarchicalSoftmax | link(x, t) | | L.BinaryHierarchicalSoftmax(k, \
L.BinaryHierarchicalSoftmax.create_huffman_tree({i: 1 + i for i in range(m)}))
    ~Classifier   | link(x, t)         | | L.Classifier(L.Linear(k, m))
''', dtypes='f')
CHAIN = Kind('link', 'x[n,k] y[n,k] t[n]<k u[n]<k', {
    'small': {'n': 8, 'k': 5}, 'medium': {'n': 64, 'k': 20}}, '''
    ~CRF1d        | link([x, y], [t, u]) | | L.CRF1d(k)
''', dtypes='f')

KINDS = [LSTM, FUNCTION, GATED, STACKS, BOTH, NSTEP, CTC, LINKS, OF_IMAGES, OF_LINES,
         OF_VOLUMES, OF_CHANNELS,
         SCALES, WORDS, ALONE, OF_ROWS, SAMPLED, CHAIN]
