"""Calls with numbers that small dtypes lack room for."""

import numpy as np

from tests.arguments.described import (
    DISTRIBUTIONS,
    IMAGE,
    ROIS,
    ROWS,
    Array,
    case,
    ids,
    sampler,
    x,
)


def large():
    """Numbers that small dtypes have room for,
    and sums and products that they have not."""
    wide = x(1, 4, 300, 5)
    yield case(
        'F.convolution_2d', wide, x(4, 2, 3, 3), stride=2, pad=100, dilate=1, groups=2
    )
    yield case(
        'F.convolution_2d',
        wide,
        x(4, 4, 3, 3),
        stride=(100, 1),
        pad=(100, 0),
        dilate=(90, 1),
    )
    yield case(
        'F.convolution_nd', wide, x(4, 2, 3, 3), stride=2, pad=100, dilate=1, groups=2
    )
    yield case(
        'F.deconvolution_2d', wide, x(4, 2, 3, 3), stride=2, pad=1, dilate=100, groups=2
    )
    yield case(
        'F.deconvolution_2d', x(1, 4, 9, 2), x(4, 2, 3, 3), stride=(100, 1), pad=1
    )
    yield case(
        'F.deconvolution_2d', x(1, 4, 5, 5), x(4, 2, 3, 3), 30, outsize=(123, 123)
    )
    yield case(
        'F.deconvolution_nd', wide, x(4, 2, 3, 3), stride=2, pad=1, dilate=100, groups=2
    )
    yield case(
        'F.max_pooling_2d',
        x(1, 1, 300, 2),
        ksize=(100, 1),
        stride=(100, 1),
        pad=(50, 0),
    )
    yield case(
        'F.average_pooling_2d',
        x(1, 1, 300, 2),
        ksize=(100, 1),
        stride=(100, 1),
        pad=(50, 0),
    )
    yield case(
        'F.max_pooling_nd',
        x(1, 1, 300, 2),
        ksize=(100, 1),
        stride=(100, 1),
        pad=(50, 0),
    )
    yield case(
        'F.average_pooling_nd',
        x(1, 1, 300, 2),
        ksize=(100, 1),
        stride=(100, 1),
        pad=(50, 0),
    )
    yield case('F.unpooling_2d', wide, ksize=3, stride=2, pad=1)
    yield case('F.unpooling_nd', wide, ksize=3, stride=2, pad=1)
    yield case('F.unpooling_2d', x(1, 1, 60, 50), 2, outsize=(120, 100))
    yield case(
        'F.upsampling_2d', wide, Array((1, 4, 300, 5), 4), ksize=2, stride=2, pad=0
    )
    yield case(
        'F.im2col',
        x(1, 1, 300, 2),
        ksize=(100, 1),
        stride=(100, 1),
        pad=(60, 0),
        dilate=(2, 1),
    )
    yield case('F.shift', x(1, 9, 130, 3), ksize=3, dilate=100)
    yield case('F.depthwise_convolution_2d', wide, x(2, 4, 3, 3), stride=2, pad=100)
    yield case(
        'F.deformable_convolution_2d_sampler',
        x(1, 2, 300, 4),
        x(1, 18, 150, 2),
        x(1, 2, 3, 3),
        stride=2,
        pad=1,
    )
    yield case(
        'F.local_convolution_2d', x(1, 1, 200, 3), x(1, 99, 1, 1, 3, 3), stride=2
    )
    yield case(
        'F.roi_average_align_2d',
        IMAGE,
        ROIS,
        ROWS,
        outsize=1,
        spatial_scale=1,
        sampling_ratio=(12, 100),
    )
    yield case(
        'F.roi_max_align_2d',
        IMAGE,
        ROIS,
        ROWS,
        outsize=(1, 2),
        spatial_scale=1,
        sampling_ratio=(100, 2),
    )
    yield case(
        'F.roi_max_pooling_2d', IMAGE, ROIS, ROWS, outsize=(100, 2), spatial_scale=1
    )
    yield case(
        'F.spatial_pyramid_pooling_2d',
        x(1, 1, 130, 130),
        pyramid_height=4,
        fixed=dict(pooling='max'),
    )
    yield case('F.reshape', x(100, 100), shape=(50, 2, 100))
    yield case('F.reshape', x(100, 100), shape=(50, -1, 100))
    yield case('F.broadcast_to', x(1), shape=(100, 100))
    yield case('F.tile', x(100, 2), reps=100)
    yield case('F.tile', x(100, 2), reps=(100, 3))
    yield case('F.repeat', x(100, 2), repeats=100, axis=0)
    yield case('F.pad', x(100, 2), pad_width=100, fixed=dict(mode='constant'))
    yield case(
        'F.pad',
        x(100, 2),
        pad_width=((100, 100), (0, 100)),
        fixed=dict(mode='constant'),
    )
    yield case('F.pad_sequence', [x(100, 3), x(3, 3)], length=120)
    yield case('F.depth2space', x(1, 144, 30, 30), r=12)
    yield case('F.space2depth', x(1, 1, 144, 144), r=12)
    yield case('F.resize_images', x(1, 1, 100, 100), output_shape=(120, 110))
    yield case('F.spatial_transformer_grid', x(1, 2, 3), output_shape=(120, 110))
    yield case(
        'F.as_strided', x(300, 3), shape=(100, 2), strides=(9, 1), storage_offset=100
    )
    yield case('F.get_item', x(300, 3), slices=100)
    yield case('F.split_axis', x(200, 3), indices_or_sections=100, axis=0)
    yield case('F.split_axis', x(300, 3), indices_or_sections=(100, 120), axis=0)
    yield case('F.maxout', x(2, 240), pool_size=120)
    yield case(
        'F.group_normalization',
        x(2, 240, 1),
        groups=120,
        fixed=dict(gamma=x(240), beta=x(240)),
    )
    yield case('F.decorrelated_batch_normalization', x(8, 240), groups=120)
    yield case('F.local_response_normalization', x(1, 300, 1, 2), n=101, k=2)
    yield case('F.diagonal', x(300, 300), offset=100)
    yield case('F.diagonal', x(300, 300), offset=-100)
    yield case('F.softmax_cross_entropy', x(300, 4), ids(4, 300), ignore_label=1)
    yield case(
        'F.classification_summary',
        x(5, 120),
        ids(120, 5),
        label_num=120,
        ignore_label=0,
    )
    yield case(
        'F.connectionist_temporal_classification',
        [x(2, 120)] * 5,
        ids(119, 2, 2),
        blank_symbol=119,
    )
    yield case(
        'F.negative_sampling', x(3, 4), ids(5, 3), x(5, 4), sampler, sample_size=100
    )
    for name in (
        'L.LSTM',
        'L.StatefulGRU',
        'L.StatefulPeepholeLSTM',
        'L.StatefulZoneoutLSTM',
        'L.StatefulMGU',
    ):
        yield case(name, in_size=100, out_size=120, then=(x(2, 100),))
    yield case(
        'L.StatelessLSTM',
        in_size=100,
        out_size=120,
        then=(x(2, 120), x(2, 120), x(2, 100)),
    )
    yield case('L.StatelessMGU', n_inputs=100, n_units=120, then=(x(2, 120), x(2, 100)))
    yield case('L.Highway', in_out_size=120, then=(x(2, 120),))
    yield case(
        'L.NaryTreeLSTM',
        in_size=100,
        out_size=120,
        n_ary=2,
        then=(x(2, 120), x(2, 120), x(2, 120), x(2, 120), x(2, 100)),
    )
    yield case(
        'L.ChildSumTreeLSTM',
        in_size=100,
        out_size=120,
        then=(x(2, 120), x(2, 120), x(2, 120), x(2, 120), x(2, 100)),
    )
    yield case('L.Maxout', in_size=100, out_size=100, pool_size=4, then=(x(2, 100),))
    for kind in 'BiGRU', 'BiLSTM', 'BiRNNTanh', 'LSTM':
        yield case(
            f'L.NStep{kind}',
            n_layers=2,
            in_size=100,
            out_size=120,
            dropout=0,
            then=(*[None] * (2 if 'LSTM' in kind else 1), [x(2, 100)]),
        )
    yield case('L.Linear', in_size=100, out_size=120, then=(x(2, 100),))
    yield case('L.EmbedID', in_size=100, out_size=120, then=(ids(100, 4),))
    yield case(
        'L.Bilinear',
        left_size=100,
        right_size=100,
        out_size=100,
        then=(x(2, 100), x(2, 100)),
    )
    yield case(
        'L.Convolution2D',
        in_channels=100,
        out_channels=120,
        ksize=3,
        stride=2,
        pad=1,
        groups=20,
        then=(x(1, 100, 130, 3),),
    )
    yield case(
        'L.Deconvolution2D',
        in_channels=20,
        out_channels=120,
        ksize=3,
        stride=2,
        pad=1,
        groups=20,
        then=(x(1, 20, 70, 3),),
    )
    yield case(
        'L.DepthwiseConvolution2D',
        in_channels=100,
        channel_multiplier=3,
        ksize=3,
        stride=2,
        pad=1,
        then=(x(1, 100, 130, 3),),
    )
    yield case(
        'L.DeformableConvolution2D',
        in_channels=2,
        out_channels=3,
        ksize=9,
        stride=2,
        pad=1,
        then=(x(1, 2, 140, 9),),
    )
    yield case(
        'L.LocalConvolution2D',
        in_channels=2,
        out_channels=100,
        in_size=(120, 3),
        ksize=3,
        stride=1,
        then=(x(1, 2, 120, 3),),
    )
    yield case(
        'L.Inception',
        in_channels=100,
        out1=100,
        proj3=2,
        out3=100,
        proj5=1,
        out5=100,
        proj_pool=100,
        then=(x(1, 100, 3, 3),),
    )
    yield case(
        'L.InceptionBN',
        in_channels=100,
        out1=100,
        proj3=2,
        out3=100,
        proj33=1,
        out33=100,
        fixed=dict(pooltype='max'),
        proj_pool=100,
        stride=1,
        then=(x(1, 100, 3, 3),),
    )
    yield case('L.GroupNormalization', groups=120, size=120, then=(x(2, 120, 3),))
    yield case(
        'L.DecorrelatedBatchNormalization', size=120, groups=60, then=(x(8, 120),)
    )
    yield case('L.BatchNormalization', size=120, then=(x(2, 120),))
    yield case(
        'L.BlackOut',
        in_size=100,
        counts=(100,) * 120,
        sample_size=100,
        then=(x(3, 100), ids(120, 3)),
    )
    yield case(
        'L.NegativeSampling',
        in_size=100,
        counts=(100,) * 120,
        sample_size=100,
        then=(x(3, 100), ids(120, 3)),
    )
    yield case('L.CRF1d', n_label=120, then=([x(2, 120)] * 2, [ids(120, 2)] * 2))
    yield case('L.SimplifiedDropconnect', in_size=100, out_size=120, then=(x(2, 100),))
    rows = list(range(300))
    yield case('D.SubDataset', rows, start=100, finish=120, get='[]')
    yield case('D.split_dataset', rows, split_at=100, get='[]')
    yield case('D.split_dataset_random', rows, first_size=100, seed=0, get='[]')
    yield case('D.split_dataset_n', rows, n=100, get='[]')
    yield case('D.get_cross_validation_datasets', rows, n_folds=100, get='[]')
    for name in 'SerialIterator', 'MultithreadIterator':
        yield case(f'It.{name}', rows, batch_size=100, get='next')
    yield case(
        'It.MultiprocessIterator',
        rows,
        batch_size=100,
        n_processes=1,
        n_prefetch=3,
        get='next',
    )
    yield case('initial Normal', shape=(100, 100))
    yield case('initial LeCunNormal', shape=(10, 50, 100))
    yield case('initial Orthogonal', shape=(20, 5, 100))
    yield case('initial UpsamplingDeconvFilter', shape=(2, 2, 100, 100))
    yield case('u.get_conv_outsize', size=300, k=100, s=2, p=100, d=1)
    yield case('u.get_deconv_outsize', size=300, k=100, s=2, p=100, d=1)
    yield case(
        'u.get_conv_outsize',
        size=300,
        k=2,
        s=100,
        p=100,
        d=100,
        fixed=dict(cover_all=True),
    )
    image = np.ones((1, 1, 300, 5), np.float32)
    yield case(
        'conv.im2col', image, kh=100, kw=2, sy=100, sx=1, ph=100, pw=0, dy=1, dx=1
    )
    yield case(
        'conv_nd.im2col_nd',
        image,
        ksize=(100, 2),
        stride=(100, 1),
        pad=(100, 0),
        dilate=(1, 1),
    )
    for name in DISTRIBUTIONS:
        yield case('sample ' + name, shape=(100, 3))
        yield case('sample ' + name, shape=100)
    yield case(
        'u.WalkerAlias', fixed=dict(probs=[1, 2, 3]), get='sample', shape=(100, 3)
    )
    yield case(
        'u.CooMatrix',
        np.ones(2, np.float32),
        np.array([0, 1]),
        np.array([1, 0]),
        shape=(100, 100),
        get='to_dense',
    )
    yield case('Variable.reshape', x(100, 100), get='*', shape=(50, 2, 100))
