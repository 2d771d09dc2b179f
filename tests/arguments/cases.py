"""Calls with arguments that are ints, axes, shapes or indexes.

Each case is a valid call. What is given by keyword is varied: `forms` has the ways to
write it. Where an argument takes an int or a tuple there are two cases.
"""

import numpy as np

from tests.arguments import function_cases, large_cases, link_cases
from tests.arguments.described import DISTRIBUTIONS, case, ids, x


def _others():
    rows = list(range(9))
    yield case('D.SubDataset', rows, start=2, finish=5, get='[]')
    yield case('D.SubDataset', rows, 1, 4, order=(8, 7, 6, 5, 4, 3, 2, 1, 0), get='[]')
    yield case('D.split_dataset', rows, split_at=3, get='[]')
    yield case('D.split_dataset', rows, 3, order=(8, 7, 6, 5, 4, 3, 2, 1, 0), get='[]')
    yield case('D.split_dataset_random', rows, first_size=3, seed=0, get='[]')
    yield case(
        'D.split_dataset_n', rows, n=3, order=(8, 7, 6, 5, 4, 3, 2, 1, 0), get='[]'
    )
    yield case('D.split_dataset_n_random', rows, n=3, seed=0, get='[]')
    yield case('D.get_cross_validation_datasets', rows, n_folds=3, get='[]')
    yield case(
        'D.get_cross_validation_datasets',
        rows,
        n_folds=3,
        order=(8, 7, 6, 5, 4, 3, 2, 1, 0),
        get='[]',
    )
    yield case(
        'D.get_cross_validation_datasets_random', rows, n_folds=3, seed=0, get='[]'
    )
    for name in (
        'TupleDataset',
        'ConcatenatedDataset',
        'TransformDataset',
        'DictDataset',
        'SubDataset',
        'tabular',
        'DatasetMixin',
    ):
        yield case('item of ' + name, index=2)
        yield case('item of ' + name, index=-2)
        yield case('item of ' + name, index=(2, 0))
        yield case('slice of ' + name, start=1, stop=4, step=2)
    yield case('It.SerialIterator', rows, batch_size=4, get='next')
    yield case('It.MultithreadIterator', rows, batch_size=4, n_threads=2, get='next')
    yield case(
        'It.MultiprocessIterator',
        rows,
        batch_size=4,
        n_processes=1,
        n_prefetch=1,
        get='next',
    )
    for name in (
        'Constant',
        'GlorotNormal',
        'GlorotUniform',
        'HeNormal',
        'HeUniform',
        'Identity',
        'LeCunNormal',
        'LeCunUniform',
        'NaN',
        'Normal',
        'One',
        'Orthogonal',
        'Uniform',
        'Zero',
    ):
        yield case('initial ' + name, shape=(4, 4))
    yield case('initial Zero', shape=4)
    yield case('initial Normal', shape=4)
    yield case('initial UpsamplingDeconvFilter', shape=(2, 2, 4, 4))
    yield case('initial DownsamplingConvFilter', shape=(2, 2, 4, 4))
    yield case('Parameter', 0.0, shape=(2, 3))
    yield case('Parameter', 0.0, shape=3)
    yield case('Parameter initialize', shape=(2, 3))
    yield case('Parameter initialize', shape=3)
    yield case('add_param', shape=(2, 3))
    yield case('add_param', shape=3)
    yield case('Link', shape=(2, 3))
    yield case('Link', shape=3)
    yield case('repeat', n_repeat=2)
    yield case('ChainList item', index=1)
    yield case('ChainList item', index=-1)
    yield case('Sequential item', index=1)
    yield case('Sequential insert', index=1)
    yield case('ChainList insert', index=1)
    yield case('Sequential pop', index=1)
    yield case('u.get_conv_outsize', size=9, k=3, s=2, p=1, d=2)
    yield case('u.get_deconv_outsize', size=9, k=3, s=2, p=1, d=2)
    yield case('u.size_of_shape', shape=(12, 12))
    yield case('conv_nd.as_tuple', x=2, n=2)
    yield case('conv_nd.as_tuple', x=(2, 3), n=2)
    image = np.arange(96, dtype=np.float32).reshape(1, 2, 8, 6)
    yield case('conv.im2col', image, kh=3, kw=2, sy=2, sx=1, ph=1, pw=0, dy=1, dx=2)
    yield case(
        'conv_nd.im2col_nd',
        image,
        ksize=(3, 2),
        stride=(2, 1),
        pad=(1, 0),
        dilate=(1, 2),
    )
    columns = np.arange(2 * 3 * 2 * 4 * 5, dtype=np.float32).reshape(1, 2, 3, 2, 4, 5)
    yield case('conv.col2im', columns, sy=2, sx=1, ph=1, pw=0, h=8, w=6, dy=1, dx=1)
    yield case(
        'conv_nd.col2im_nd',
        columns,
        stride=(2, 1),
        pad=(1, 0),
        dims=(8, 6),
        dilate=(1, 1),
    )
    yield case('u.WalkerAlias', fixed=dict(probs=[1, 2, 3]), get='sample', shape=(2, 3))
    yield case('u.WalkerAlias', fixed=dict(probs=[1, 2, 3]), get='sample', shape=4)
    yield case(
        'u.CooMatrix',
        np.ones(2, np.float32),
        np.array([0, 1]),
        np.array([1, 0]),
        shape=(2, 3),
        get='to_dense',
    )
    for name in DISTRIBUTIONS:
        yield case('sample ' + name, shape=(2, 3))
        yield case('sample ' + name, shape=2)
    yield case('independent', reinterpreted_batch_ndims=1)
    yield case('concat_examples', padding=0)
    yield case('T.IntervalTrigger', fixed={'unit': 'epoch'}, period=2, get='str')
    yield case('T.ManualScheduleTrigger', points=(2, 3), unit='iteration', get='fires')
    yield case('T.ManualScheduleTrigger', points=2, unit='iteration', get='fires')
    yield case('T.IntervalTrigger', period=2, unit='iteration', get='fires')


def _modes():
    """Yield cases of other ways through functions that have a case."""
    image = x(1, 2, 4, 4)
    for options in dict(mode='nearest'), dict(align_corners=False):
        yield case('F.resize_images', image, output_shape=(3, 2), fixed=options)
    yield case(
        'F.spatial_pyramid_pooling_2d',
        image,
        pyramid_height=1,
        fixed=dict(pooling='max'),
    )
    yield case('F.split_axis', x(2, 4), indices_or_sections=[1], fixed=dict(axis=1))
    yield case('F.split_axis', x(2, 4), indices_or_sections=(0, 1), fixed=dict(axis=1))
    for name in 'F.classification_summary', 'F.precision', 'F.recall', 'F.f1_score':
        yield case(name, x(4, 3), ids(1, 4), label_num=1)
    yield case('F.unpooling_2d', image, 2, outsize=(8, 8))
    yield case(
        'F.unpooling_nd', image, 2, outsize=(8, 8), fixed=dict(cover_all=False)
    )
    yield case('F.pad_sequence', [x(1, 3), x(1, 3)], length=1)
    yield case('F.max_pooling_2d', image, ksize=1, stride=1, pad=0)
    yield case('F.average_pooling_2d', image, ksize=1, stride=1, pad=0)
    yield case('F.convolution_2d', image, x(2, 2, 1, 1), stride=1, pad=1, groups=1)
    yield case('F.deconvolution_2d', image, x(2, 2, 1, 1), stride=1, pad=1, groups=1)
    yield case('F.convolution_nd', image, x(2, 2, 1, 1), stride=1, pad=1, groups=1)
    yield case('F.local_response_normalization', image, n=1)
    for name in 'F.sum', 'F.mean', 'F.max', 'F.min', 'F.prod', 'F.logsumexp':
        yield case(name, image, axis=1)
        yield case(name, image, axis=(0, 1))


CASES = [
    *function_cases.pooling(),
    *function_cases.convolution(),
    *function_cases.axes(),
    *function_cases.shapes(),
    *function_cases.stacks(),
    *link_cases.links(),
    *_others(),
    *large_cases.large(),
    *_modes(),
]
