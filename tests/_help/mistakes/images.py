"""Images, sequences and rows that lack an axis, and sizes that are no integers."""
from tests._help.mistakes.case import Case

_LIST = ('list', 'length', 'list(xs)')
_STEP = ('(2, 5, 3)', 'one step', 'x[:, i]', 'NStepLSTM')
_ONE = ('x[:, None]', '(32, 1, 8, 8)')
_EITHER = ('(32, 8, 8)', 'x[:, None]', 'x[None]')
_OBSCURE = ('obscure', 'silent', 'cure')
_WHAT = ('what', 'silent', 'cure')
_SIZE = ('sizes are integers', 'n // 2')

_MADE = [
    ('grey images', 'L.Convolution2D(1, 4, 3)(grey)', _ONE, _WHAT),
    ('grey images for any number of channels',
     'L.Convolution2D(None, 4, 3)(grey)', _ONE, _OBSCURE),
    ('grey images in a batch of one',
     'L.Convolution2D(1, 4, 3)(grey[None])', ('32 channels', 'x.swapaxes(0, 1)'),
     _WHAT),
    ('grey images where three channels are expected',
     'L.Convolution2D(3, 4, 3)(grey)', _EITHER, _WHAT),
    ('one image with its channels last',
     'L.Convolution2D(3, 4, 3)(image[0].transpose(1, 2, 0))',
     ('3 channels in the last axis', 'x.transpose(2, 0, 1)[None]'), _WHAT),
    ('one grey image', 'L.Convolution2D(1, 4, 3)(grey[0])',
     ('(8, 8)', 'x[None, None]'), _WHAT),
    ('rows of pixels for a convolution',
     'L.Convolution2D(1, 4, 3)(grey.reshape(32, 64))',
     ('(32, 64)', 'x.reshape(32, channels, height, width)'), _WHAT),
    ('grey images for a transposed convolution',
     'L.Deconvolution2D(1, 4, 3)(grey)', _ONE, _WHAT),
    ('images with too few channels for a transposed convolution',
     'L.Deconvolution2D(3, 4, 3)(image[:, :1])', ('1 channels', 'in_channels=1'),
     _WHAT),
    ('grey images for a depthwise convolution',
     'L.DepthwiseConvolution2D(None, 4, 3)(grey)', _ONE, _WHAT),
    ('grey images for a dilated convolution',
     'L.DilatedConvolution2D(None, 4, 3)(grey)', _ONE, _WHAT),
    ('grey images for a convolution of any dimension',
     'L.ConvolutionND(2, 1, 4, 3)(grey)', _ONE, _OBSCURE),
    ('grey images for a transposed convolution of any dimension',
     'L.DeconvolutionND(2, None, 4, 3)(grey)', _ONE, _OBSCURE),
    ('signals without channels', 'L.Convolution1D(1, 4, 3)(grey[:, 0])',
     ('x[:, None]', '(32, 1, 8)'), _OBSCURE),
    ('grey images for a deformable convolution',
     'L.DeformableConvolution2D(None, 4, 3)(grey)', _ONE, _OBSCURE),
    ('grey images for a convolution in a chain',
     'L.MLPConvolution2D(None, (4, 4), 3)(grey)', (*_ONE, 'MLPConvolution2D[0]'),
     _OBSCURE),
    ('grey images for local filters', 'L.LocalConvolution2D(1, 4, 8, 3)(grey)',
     _EITHER, _WHAT),
    ('grey images for pooling', 'F.max_pooling_2d(grey, 2)', _EITHER, _WHAT),
    ('grey images for pooling by means', 'F.average_pooling_2d(grey, 2)', _EITHER,
     _WHAT),
    ('grey images for another size', 'F.resize_images(grey, (4, 4))', _EITHER, _WHAT),
    ('grey images for patches', 'F.im2col(grey, 2)', _EITHER, _WHAT),
    ('rows within a batch for a layer', 'L.Linear(8, 4)(grey)',
     ('(32, 8, 8)', '64 elements', 'n_batch_axes=2'), _WHAT),
    ('a batch of sequences for an LSTM', 'L.LSTM(3, 4)(sequences)', _STEP, _WHAT),
    ('a batch of sequences for an LSTM without a state',
     'L.StatelessLSTM(3, 4)(None, None, sequences)', _STEP, _WHAT),
    ('a batch of sequences for a GRU', 'L.StatefulGRU(3, 4)(sequences)', _STEP, _WHAT),
    ('a batch of sequences for an LSTM with peepholes',
     'L.StatefulPeepholeLSTM(3, 4)(sequences)', _STEP, _WHAT),
    ('an array for an LSTM of several steps',
     'L.NStepLSTM(1, 3, 4, 0.)(None, None, sequences)', _LIST, _WHAT),
    ('an LSTM of several steps without states',
     'L.NStepLSTM(1, 3, 4, 0.)(list(sequences))',
     ("'cx' and 'xs'", 'hx, cx, xs', 'rnn(None, None, xs)'), _WHAT),
    ('a number of filters with a fraction', 'L.Convolution2D(3, 8 / 2, 3)',
     ('(4.0, 3, 3, 3)', *_SIZE), _WHAT),
    ('a size of a layer with a fraction', 'L.Linear(3, 8 / 2)',
     ('(4.0, 3)', *_SIZE), _WHAT),
    ('a size of an LSTM with a fraction', 'L.LSTM(3, 8 / 2)', _SIZE, _WHAT),
    ('a size of a normalization with a fraction', 'L.BatchNormalization(8 / 2)',
     ('(4.0,)', *_SIZE), _WHAT),
    ('a size of a layer in a string', "L.Linear('3', 4)", ("'3'", 'sizes are integers'),
     _WHAT),
    ('a name for an initializer', "L.Linear(3, 4, initialW='xavier')",
     ('xavier', 'GlorotUniform()'), _OBSCURE),
    ('a name for an initializer of a bias', "L.Linear(3, 4, initial_bias='zeros')",
     ('zeros', 'Zero()'), _OBSCURE),
    ('a class for an initializer',
     'L.Linear(3, 4, initialW=chainer.initializers.HeNormal)',
     ('class HeNormal', 'HeNormal()'), ('silent', 'silent', 'cure')),
    ('weights of another shape',
     'L.Linear(3, 4, initialW=np.zeros((3, 4), np.float32))',
     ('(4, 3)', '(3, 4)', 'x.T'), _OBSCURE),
]
_ARRAYS = '''
grey = np.zeros((32, 8, 8), np.float32)
sequences = np.zeros((2, 5, 3), np.float32)
'''
CASES = (
    *[Case(name, _ARRAYS + code, says, grades) for name, code, says, grades in _MADE],
    Case('one row for a layer', 'L.Linear(3, 4)(x[0])', ('(3,)', 'x[None]'), _WHAT,
         None, 'InvalidType'),
)
