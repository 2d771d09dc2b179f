"""Functions whose calls the tests of arguments do not have."""

from compat.differential.language import array, case, ids, plain, thing, tuple_

_ANY = (
    'absolute',
    'ceil',
    'copy',
    'cos',
    'cosh',
    'erf',
    'erfc',
    'erfcx',
    'exp',
    'expm1',
    'fix',
    'flatten',
    'fliplr',
    'flipud',
    'floor',
    'hard_sigmoid',
    'identity',
    'log_ndtr',
    'ndtr',
    'relu',
    'relu6',
    'rrelu',
    'selu',
    'sigmoid',
    'sign',
    'sin',
    'sinh',
    'square',
    'tan',
    'tanh',
    'arctan',
    'softplus',
    'elu',
    'leaky_relu',
    'clipped_relu',
    'softmax',
    'log_softmax',
    'sum',
    'mean',
    'average',
    'max',
    'min',
    'prod',
    'argmax',
    'argmin',
    'cumsum',
    'cumprod',
    'logsumexp',
    'normalize',
    'crelu',
    'transpose',
    'squeeze',
    'dropout',
    'gumbel_softmax',
    'batch_l2_norm_squared',
    'separate',
    'flip',
    'lgamma',
    'digamma',
)
_POSITIVE = ('log', 'log10', 'log1p', 'log2', 'rsqrt', 'sqrt', 'lgamma', 'digamma')
_UNIT = ('arccos', 'arcsin', 'arctanh', 'erfcinv', 'erfinv', 'ndtri')
_TWO = (
    'absolute_error',
    'add',
    'arctan2',
    'bernoulli_nll',
    'fmod',
    'maximum',
    'mean_absolute_error',
    'mean_squared_error',
    'minimum',
    'squared_difference',
    'squared_error',
    'r2_score',
    'gaussian_kl_divergence',
    'gaussian',
    'huber_loss',
)
_MATRICES = ('batch_det', 'batch_inv', 'det', 'inv', 'cholesky')


def _elementwise():
    for name in _ANY:
        yield case(
            'functions.' + name, array(2, 3), **({'axis': 0} if name == 'flip' else {})
        )
    for name in _POSITIVE:
        yield case('functions.' + name, array(2, 3, fill='positive'))
    for name in _UNIT:
        yield case('functions.' + name, array(2, 3, fill='unit'))
    for name in _TWO:
        more = {'delta': 0.5} if name == 'huber_loss' else {}
        yield case('functions.' + name, array(4, 3), array(4, 3, seed=1), **more)
    yield case('functions.add', array(2, 3), array(2, 3, seed=1), array(2, 3, seed=2))
    for reduce in 'sum', 'no':
        yield case('functions.bernoulli_nll', array(4, 3), array(4, 3, seed=1), reduce)
        yield case(
            'functions.gaussian_kl_divergence',
            array(4, 3),
            array(4, 3, seed=1),
            reduce=reduce,
        )
        yield case(
            'functions.gaussian_nll',
            array(4, 3),
            array(4, 3, seed=1),
            array(4, 3, seed=2),
            reduce=reduce,
        )
        yield case(
            'functions.huber_loss', array(4, 3), array(4, 3, seed=1), 1.0, reduce=reduce
        )
        yield case('functions.hinge', array(4, 3), ids(3, 4), 'L1', reduce=reduce)
    yield case('functions.prelu', array(2, 3), array(3, seed=1))
    yield case('functions.prelu', array(2, 3, 4), array(seed=1))
    yield case('functions.swish', array(2, 3), array(3, seed=1))
    yield case('functions.rrelu', array(2, 3), l=0.1, u=0.3, return_r=True)
    yield case(
        'functions.where',
        plain(2, 3, fill='bool', dtype='?'),
        array(2, 3),
        array(2, 3, seed=1),
    )
    yield case(
        'functions.linear_interpolate',
        array(2, 3),
        array(2, 3, seed=1),
        array(2, 3, seed=2),
    )
    yield case('functions.zoneout', array(2, 3), array(2, 3, seed=1), ratio=0.4)
    yield case('functions.dropout', array(4, 5), ratio=0.4, return_mask=True)
    yield case('functions.clip', array(2, 3), -0.5, 0.5)
    yield case('functions.cast', array(2, 3), 'float16')
    for typ in 'f8', 'i4', '?':
        yield case('functions.cast', array(2, 3), typ)


def _connections():
    x = array(3, 4)
    yield case('functions.bilinear', array(3, 4), array(3, 5), array(4, 5, 2))
    yield case(
        'functions.bilinear',
        array(3, 4),
        array(3, 5),
        array(4, 5, 2),
        array(4, 2),
        array(5, 2),
        array(2),
    )
    yield case('functions.linear', x, array(5, 4), array(5))
    yield case('functions.simplified_dropconnect', x, array(5, 4), array(5), ratio=0.5)
    yield case(
        'functions.simplified_dropconnect', x, array(5, 4), None, 0.5, True, None, True
    )
    yield case(
        'functions.convolution_2d', array(2, 3, 5, 5), array(4, 3, 3, 3), array(4)
    )
    yield case(
        'functions.convolution_nd',
        array(2, 3, 5),
        array(4, 3, 3),
        array(4),
        cover_all=True,
    )
    yield case(
        'functions.deconvolution_2d', array(2, 3, 4, 4), array(3, 2, 3, 3), array(2), 2
    )
    yield case('functions.sparse_matmul', thing('sparse'), array(4, 2))
    yield case('functions.sparse_matmul', array(4, 3), thing('sparse'), transb=False)
    yield case('functions.sparse_matmul', thing('sparse'), array(3, 2), transa=True)
    yield case('functions.batch_matmul', array(2, 3, 4), array(2, 4, 3))
    yield case('functions.batch_matmul', array(2, 3), array(2, 3), transa=True)
    for first, second in (
        ((3, 4), (4, 2)),
        ((2, 3, 4), (2, 4, 3)),
        ((4,), (4,)),
        ((3, 4), (4,)),
    ):
        yield case('functions.matmul', array(*first), array(*second))
    for name in _MATRICES:
        shape = (2, 3, 3) if name.startswith('batch') else (3, 3)
        yield case('functions.' + name, array(*shape, fill='definite'))
    for text, *shapes in (
        ('ij,jk->ik', (2, 3), (3, 4)),
        ('ii', (3, 3)),
        ('ij->ji', (2, 3)),
        ('...i,i->...', (2, 3), (3,)),
        ('ij,ij', (2, 3), (2, 3)),
    ):
        yield case('functions.einsum', text, *[array(*shape) for shape in shapes])
    for name in 'fft', 'ifft':
        yield case('functions.' + name, tuple_(array(2, 4), array(2, 4, seed=1)))
    yield case(
        'functions.spatial_transformer_sampler',
        array(2, 3, 5, 5),
        array(2, 2, 4, 4, fill='unit'),
    )
    yield case(
        'functions.resize_images',
        array(1, 2, 4, 4),
        tuple_(6, 5),
        mode='nearest',
        align_corners=False,
    )
    yield case('functions.max_pooling_2d', array(1, 2, 6, 6), 2, return_indices=True)
    yield case('functions.average_pooling_nd', array(1, 2, 5), 2, pad=1, pad_value=None)


def _arrangements():
    for name in 'dstack', 'hstack', 'vstack', 'concat', 'stack', 'broadcast':
        pair = [array(2, 3), array(2, 3, seed=1)]
        yield case('functions.' + name, *(pair if name == 'broadcast' else [pair]))
    yield case('functions.broadcast', array(2, 1), array(3), array(1, 1, seed=2))
    yield case('functions.concat', tuple_(array(2, 3), array(2, 1)), axis=1)
    yield case('functions.transpose_sequence', [array(3, 2), array(2, 2), array(1, 2)])
    yield case('functions.pad_sequence', [array(3, 2), array(1, 2)], None, -1.0)
    for mode in 'constant', 'edge', 'reflect', 'symmetric':
        yield case('functions.pad', array(3, 4), 1, mode)
    yield case('functions.pad', array(3, 4), 1, 'constant', constant_values=2.0)
    for key in (
        1,
        tuple_(0, 1),
        None,
        [1, 0],
        {'$': 'slice', 'of': [0, 2, None]},
        tuple_({'$': 'ellipsis'}, 0),
        ids(2, 3),
        plain(3, fill='bool', dtype='?'),
    ):
        yield case('functions.get_item', array(3, 4), key)
        yield case('Variable.__getitem__', array(3, 4), key)
    yield case('functions.scatter_add', array(3, 4), ids(3, 5), array(5, 4))
    yield case('functions.permutate', array(3, 4), ids(1, 3, fill='orders'), inv=False)
    yield case('functions.repeat', array(2, 3), tuple_(1, 2), axis=0)
    yield case('functions.split_axis', array(4, 6), tuple_(2, 5), 1)
    yield case('functions.split_axis', array(4, 6), ids(6, 2, fill='orders'), 1, False)


def cases():
    return [
        each for part in (_elementwise, _connections, _arrangements) for each in part()
    ]
