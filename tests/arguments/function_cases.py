"""Calls of functions."""

import numpy as np

from tests.arguments.described import IMAGE, ROIS, ROWS, case, ids, positive, sampler, x


def pooling():
    for name in 'F.max_pooling_2d', 'F.average_pooling_2d':
        yield case(name, IMAGE, ksize=2, stride=2, pad=1)
        yield case(name, IMAGE, ksize=(3, 2), stride=(2, 1), pad=(1, 0))
    for n, shape in (1, (2, 3, 8)), (2, (2, 3, 8, 6)), (3, (2, 3, 5, 4, 6)):
        for kind in 'max', 'average':
            for name in [f'F.{kind}_pooling_nd'] + (
                [f'F.{kind}_pooling_{n}d'] if n != 2 else []
            ):
                yield case(name, x(*shape), ksize=2, stride=2, pad=1)
                yield case(
                    name,
                    x(*shape),
                    ksize=(3, 2, 2)[:n],
                    stride=(2, 1, 2)[:n],
                    pad=(1, 0, 1)[:n],
                )
        for name in 'F.unpooling_nd', f'F.unpooling_{n}d':
            yield case(name, x(*shape), ksize=2, stride=2, pad=0)
            yield case(
                name,
                x(*shape),
                ksize=(3, 2, 2)[:n],
                stride=(2, 1, 2)[:n],
                pad=(1, 0, 1)[:n],
            )
            yield case(name, x(*shape), 2, outsize=tuple(2 * d for d in shape[2:]))
    yield case('F.unpooling_2d', x(1, 1, 4, 4), 2, outsize=8)
    yield case('F.average_pooling_nd', x(1, 1, 4, 4), 2, pad=1, pad_value=0)
    yield case('F.average_pooling_1d', x(1, 1, 4), 2, pad=1, pad_value=0)
    yield case('F.average_pooling_3d', x(1, 1, 4, 4, 4), 2, pad=1, pad_value=0)
    yield case('F.upsampling_2d', x(1, 1, 3, 2), ids(4, 1, 1, 3, 2), 2, outsize=(6, 4))
    yield case('upsampling', ksize=2, stride=2, pad=0, outsize=(8, 6))
    yield case('upsampling', ksize=(2, 2), stride=(2, 2), pad=(0, 0))
    yield case(
        'F.spatial_pyramid_pooling_2d',
        IMAGE,
        pyramid_height=2,
        fixed=dict(pooling='max'),
    )
    for name in 'F.roi_max_pooling_2d', 'F.roi_average_pooling_2d':
        for outsize in 3, (3, 2):
            yield case(name, IMAGE, ROIS, ROWS, outsize=outsize, spatial_scale=1)
    for name in 'F.roi_max_align_2d', 'F.roi_average_align_2d':
        for outsize in 3, (3, 2):
            for ratio in 2, (2, 3):
                yield case(
                    name,
                    IMAGE,
                    ROIS,
                    ROWS,
                    outsize=outsize,
                    spatial_scale=1,
                    sampling_ratio=ratio,
                )
    yield case(
        'F.roi_pooling_2d',
        IMAGE,
        np.array([[0, 1, 1, 5, 5], [1, 0, 2, 4, 6]], np.float32),
        outh=3,
        outw=2,
        spatial_scale=1,
    )


def convolution():
    for name, channels in (
        ('F.convolution_2d', 2),
        ('F.convolution_nd', 2),
        ('F.dilated_convolution_2d', 4),
    ):
        groups = {} if 'dilated' in name else {'groups': 2}
        yield case(
            name,
            x(2, 4, 7, 7),
            x(4, channels, 3, 3),
            stride=2,
            pad=1,
            dilate=1,
            **groups,
        )
        yield case(
            name, x(2, 4, 7, 7), x(4, 4, 3, 2), stride=(2, 1), pad=(1, 0), dilate=(1, 2)
        )
    for name in 'F.deconvolution_2d', 'F.deconvolution_nd':
        yield case(
            name,
            x(2, 4, 4, 4),
            x(4, 2, 3, 3),
            stride=2,
            pad=1,
            dilate=1,
            groups=2,
            outsize=(8, 7),
        )
        yield case(
            name, x(2, 4, 4, 4), x(4, 2, 3, 2), stride=(2, 1), pad=(1, 0), dilate=(1, 2)
        )
    for n, shape in (1, (2, 2, 7)), (3, (2, 2, 5, 4, 6)):
        yield case(
            f'F.convolution_{n}d',
            x(*shape),
            x(2, 2, *(2,) * n),
            stride=2,
            pad=1,
            dilate=1,
            groups=1,
        )
        yield case(
            f'F.convolution_{n}d',
            x(*shape),
            x(2, 2, *(2,) * n),
            stride=(2, 1, 2)[:n],
            pad=(1, 0, 1)[:n],
            dilate=(1, 2, 1)[:n],
        )
        yield case(
            f'F.deconvolution_{n}d',
            x(*shape),
            x(2, 2, *(2,) * n),
            stride=2,
            pad=1,
            dilate=1,
            groups=1,
        )
        yield case(
            f'F.deconvolution_{n}d',
            x(*shape),
            x(2, 2, *(2,) * n),
            stride=(2, 1, 2)[:n],
            pad=(1, 0, 1)[:n],
            dilate=(1, 2, 1)[:n],
            outsize=tuple(
                [
                    (d - 1) * s + (2 - 1) * t + 1 - 2 * p
                    for d, s, t, p in zip(
                        shape[2:], (2, 1, 2), (1, 2, 1), (1, 0, 1), strict=False
                    )
                ]
            ),
        )
    offset = x(2, 18, 4, 4)
    yield case(
        'F.deformable_convolution_2d_sampler',
        x(2, 2, 7, 7),
        offset,
        x(3, 2, 3, 3),
        stride=2,
        pad=1,
    )
    yield case(
        'F.deformable_convolution_2d_sampler',
        x(2, 2, 7, 7),
        offset,
        x(3, 2, 3, 3),
        stride=(2, 2),
        pad=(1, 1),
    )
    yield case(
        'F.depthwise_convolution_2d', x(2, 2, 7, 7), x(2, 2, 3, 3), stride=2, pad=1
    )
    yield case(
        'F.depthwise_convolution_2d',
        x(2, 2, 7, 7),
        x(2, 2, 3, 3),
        stride=(2, 1),
        pad=(1, 0),
    )
    yield case('F.local_convolution_2d', x(2, 2, 7, 7), x(3, 3, 3, 2, 3, 3), stride=2)
    yield case(
        'F.local_convolution_2d', x(2, 2, 7, 7), x(3, 3, 5, 2, 3, 3), stride=(2, 1)
    )
    yield case('F.im2col', IMAGE, ksize=3, stride=2, pad=1, dilate=2)
    yield case(
        'F.im2col', IMAGE, ksize=(3, 2), stride=(2, 1), pad=(1, 0), dilate=(1, 2)
    )
    yield case('F.shift', x(2, 9, 6, 6), ksize=3, dilate=2)
    yield case('F.shift', x(2, 9, 6, 6), ksize=(3, 3), dilate=(1, 2))


def axes():
    for name in ('sum', 'max', 'min', 'prod', 'logsumexp', 'average', 'mean'):
        keep = {} if name == 'logsumexp' else {'keepdims': True}
        for axis in 1, -1, 0, (0, 2), (-1, 1), (1,):
            yield case(f'F.{name}', x(2, 3, 4), axis=axis, **keep)
    for axis in 1, (0, 2):
        yield case('Variable.mean', x(2, 3, 4), axis=axis, keepdims=True)
    yield case('F.average', x(2, 3, 4), axis=1, fixed=dict(weights=positive(3)))
    yield case('F.average', x(2, 3, 4), axis=(1,), fixed=dict(weights=positive(3)))
    for name in 'argmax', 'argmin', 'cumsum', 'cumprod':
        for axis in 1, -1, 0:
            yield case(f'F.{name}', x(2, 3, 4), axis=axis)
    for name in 'softmax', 'log_softmax', 'crelu', 'normalize', 'flip', 'separate':
        for axis in 1, -1, 0:
            yield case(f'F.{name}', x(2, 3, 4), axis=axis)
    for axis in (1, 2), (0,):
        yield case('F.normalize', x(2, 3, 4), axis=axis)
        yield case('F.squeeze', x(1, 1, 1, 4), axis=axis)
        yield case('F.flip', x(2, 3, 4), axis=axis)
        yield case('F.softmax', x(2, 3, 4), axis=axis)
    yield case('F.gumbel_softmax', x(2, 3, 4), axis=1)
    yield case('F.maxout', x(2, 6, 4), pool_size=2, axis=1)
    yield case('F.maxout', x(2, 6, 4), pool_size=2, axis=-1)
    for axis in 1, -1, 0:
        yield case('F.concat', [x(2, 3), x(2, 3)], axis=axis)
        yield case('F.stack', [x(2, 3), x(2, 3)], axis=axis)
        yield case('F.expand_dims', x(2, 3), axis=axis)
        yield case('F.repeat', x(2, 3), repeats=2, axis=axis)
        yield case(
            'F.permutate', x(2, 2), np.array([1, 0], np.int32), axis=axis, inv=True
        )
        yield case(
            'F.split_axis', x(4, 6), indices_or_sections=2, axis=axis, force_tuple=True
        )
        yield case('F.rollaxis', x(2, 3, 4), axis=axis, start=2)
    yield case('F.split_axis', x(4, 6), indices_or_sections=(1, 3), axis=1)
    yield case('F.split_axis', x(4, 6), indices_or_sections=[2], axis=0)
    yield case('F.squeeze', x(2, 1, 3), axis=1)
    yield case('F.squeeze', x(2, 3, 1), axis=-1)
    yield case('F.swapaxes', x(2, 3, 4), axis1=0, axis2=-1)
    yield case('F.moveaxis', x(2, 3, 4), source=0, destination=-1)
    yield case('F.moveaxis', x(2, 3, 4), source=(0, 1), destination=(-1, 0))
    yield case('F.diagonal', x(3, 3, 4), offset=1, axis1=0, axis2=1)
    yield case('F.diagonal', x(3, 3, 4), offset=-1, axis1=0, axis2=2)
    yield case('F.transpose', x(2, 3, 4), axes=(2, 0, 1))
    yield case('F.transpose', x(2, 3, 4), axes=(-1, 0, -2))
    yield case('Variable.transpose', x(2, 3, 4), get='*', axes=(2, 0, 1))
    yield case('Variable.transpose', x(2, 3, 4), get='1', axes=(2, 0, 1))
    yield case('Variable.transpose', x(4), get='1', axes=0)
    yield case('F.tensordot', x(3, 3), x(3, 3), axes=1)
    yield case('F.tensordot', x(3, 3), x(3, 3), axes=2)
    yield case('F.tensordot', x(3, 4), x(3, 4), axes=(0, 0))
    yield case('tensordot', x(3, 4), x(3, 4), left=(0, 1), right=(0, 1))
    yield case('tensordot', x(3, 4), x(5, 3), left=0, right=1)
    yield case('einsum', x(2, 3), x(3, 4), first=(0, 1), second=(1, 2), out=(0, 2))
    yield case('F.bias', x(2, 3, 4), x(3), axis=1)
    yield case('F.scale', x(2, 3, 4), x(3), axis=1)
    yield case('F.bias', x(2, 3, 4), x(4), axis=-1)
    yield case('F.scale', x(2, 3, 4), x(4), axis=-1)
    yield case('F.linear', x(2, 3, 4), x(5, 4), n_batch_axes=2)
    yield case('F.linear', x(2, 3, 4), x(5, 12), n_batch_axes=1)
    for axis in 0, (0, 2):
        size = (3, 4) if axis == 0 else (3,)
        yield case('F.batch_normalization', x(2, 3, 4), x(*size), x(*size), axis=axis)
        yield case(
            'F.fixed_batch_normalization',
            x(2, 3, 4),
            x(*size),
            x(*size),
            x(*size),
            positive(*size),
            axis=axis,
        )
    yield case('F.decorrelated_batch_normalization', x(8, 6), groups=2)
    yield case(
        'F.fixed_decorrelated_batch_normalization',
        x(8, 6),
        x(2, 3),
        x(2, 3, 3),
        groups=2,
    )
    yield case(
        'F.group_normalization', x(2, 6, 3), groups=2, fixed=dict(gamma=x(6), beta=x(6))
    )
    yield case('F.local_response_normalization', x(2, 6, 3, 2), n=3, k=2)


def shapes():
    yield case('F.reshape', x(4, 6), shape=(6, 4))
    yield case('F.reshape', x(4, 6), shape=(-1, 8))
    yield case('F.reshape', x(12, 12), shape=(144,))
    yield case('F.reshape', x(12, 12), shape=(3, 48))
    yield case('F.reshape', x(6), shape=6)
    yield case('Variable.reshape', x(4, 6), get='*', shape=(6, 4))
    yield case('Variable.reshape', x(4, 6), get='*', shape=(-1, 8))
    yield case('Variable.reshape', x(4, 6), get='1', shape=(6, 4))
    yield case('Variable.reshape', x(4, 6), get='1', shape=24)
    yield case('F.broadcast_to', x(3, 4), shape=(2, 2, 3, 4))
    yield case('F.broadcast_to', x(1), shape=(12, 12))
    yield case('F.broadcast_to', x(1), shape=4)
    yield case('F.sum_to', x(2, 3, 4), shape=(3, 1))
    yield case('F.sum_to', x(2, 3, 4), shape=(12, 1, 2, 3, 4)[1:2])
    yield case('u.sum_to', np.ones((2, 3, 4), np.float32), shape=(3, 1))
    yield case('F.tile', x(2, 3), reps=2)
    yield case('F.tile', x(2, 3), reps=(2, 1))
    yield case('F.tile', x(2, 3), reps=(2, 1, 2))
    yield case('F.repeat', x(2, 3), repeats=2)
    yield case('F.repeat', x(2, 3), repeats=(2, 1, 0), axis=1)
    yield case('F.repeat', x(2, 3), repeats=(2,), axis=0)
    yield case('F.as_strided', x(4, 6), shape=(2, 3), strides=(6, 2), storage_offset=1)
    yield case('F.pad', x(2, 3), pad_width=1, fixed=dict(mode='constant'))
    yield case('F.pad', x(2, 3), pad_width=(1, 2), fixed=dict(mode='constant'))
    yield case(
        'F.pad', x(2, 3), pad_width=((1, 2), (0, 1)), fixed=dict(mode='constant')
    )
    yield case('F.pad_sequence', [x(2, 3), x(3, 3)], length=4, padding=0)
    yield case('F.depth2space', x(2, 8, 3, 3), r=2)
    yield case('F.space2depth', x(2, 2, 4, 4), r=2)
    yield case('F.resize_images', x(2, 2, 4, 4), output_shape=(6, 5))
    yield case('F.spatial_transformer_grid', x(2, 2, 3), output_shape=(6, 5))
    yield case('F.get_item', x(4, 6), slices=1)
    yield case('F.get_item', x(4, 6), slices=(1, -1))
    yield case('F.get_item', x(4, 6), slices=[1, 2])
    yield case('Variable.__getitem__', x(4, 6), get='1', slices=1)
    yield case('Variable.__getitem__', x(4, 6), get='1', slices=(1, -1))
    yield case('Variable.__getitem__', x(4, 6), get='1', slices=[1, 2])
    yield case('slice', x(4, 6), start=1, stop=3, step=1)
    yield case('F.scatter_add', x(4, 6), slices=1, fixed=dict(b=x(6)))
    yield case('F.scatter_add', x(4, 6), slices=(1, -1), fixed=dict(b=x()))
    yield case('F.select_item', x(3, 4), t=(1, 2, 0))
    yield case('F.embed_id', ids(4, 3), x(4, 2), ignore_label=1)
    yield case('F.softmax_cross_entropy', x(3, 4), ids(4, 3), ignore_label=1)
    yield case('F.accuracy', x(3, 4), ids(4, 3), ignore_label=1)
    for name in 'precision', 'recall', 'f1_score', 'classification_summary':
        yield case(f'F.{name}', x(5, 3), ids(3, 5), label_num=3, ignore_label=0)
    yield case('F.hinge', x(3, 4), ids(4, 3), norm='L2')
    yield case('F.huber_loss', x(3, 4), x(3, 4), delta=1)
    yield case('F.contrastive', x(3, 4), x(3, 4), ids(2, 3), margin=1)
    yield case('F.triplet', x(3, 4), x(3, 4), x(3, 4), margin=1)
    yield case(
        'F.discriminative_margin_based_clustering_loss',
        x(2, 3, 4, 4),
        ids(3, 2, 4, 4),
        delta_v=1,
        delta_d=2,
        max_embedding_dim=3,
        norm=1,
    )
    yield case(
        'F.connectionist_temporal_classification',
        [x(2, 4)] * 5,
        ids(3, 2, 2),
        blank_symbol=3,
    )
    yield case('ctc lengths', input_length=(5, 4), label_length=(2, 1))
    yield case(
        'F.negative_sampling', x(3, 4), ids(5, 3), x(5, 4), sampler, sample_size=2
    )
    yield case(
        'F.black_out', x(3, 4), ids(5, 3), x(5, 4), samples=((1, 2), (0, 3), (4, 1))
    )
    yield case('F.polygamma', n=1, fixed=dict(x=positive(3)))
    yield case('F.zeta', positive(3), q=2)
    yield case('F.clip', x(3, 4), x_min=0, x_max=1)
    yield case('F.clipped_relu', x(3, 4), z=1)
    yield case('F.leaky_relu', x(3, 4), slope=1)
    yield case('F.elu', x(3, 4), alpha=1)
    yield case('F.softplus', x(3, 4), beta=2)
    yield case('F.dropout', x(3, 4), ratio=0)
    yield case('F.matmul', x(3, 3), x(3, 3), transa=True, transb=True)
    yield case('F.cast', x(3), typ='float64')
    yield case('F.normalize', x(3, 4), eps=1)
    yield case('F.layer_normalization', x(3, 4), x(4), x(4), eps=1)


def stacks():
    for name, gates in ('gru', 6), ('lstm', 8), ('rnn', 2):
        cell = [x(1, 2, 3)] if name == 'lstm' else []
        weights = [[x(3, 4 if i < gates // 2 else 3) for i in range(gates)]]
        yield case(
            f'F.n_step_{name}',
            fixed=dict(
                dropout_ratio=0.0,
                hx=x(1, 2, 3),
                ws=weights,
                bs=[[x(3)] * gates],
                xs=[x(2, 4), x(2, 4)],
                **{'cx': cell[0]} if cell else {},
            ),
            n_layers=1,
        )
        yield case(
            f'F.n_step_bi{name}',
            fixed=dict(
                dropout_ratio=0.0,
                hx=x(2, 2, 3),
                ws=weights * 2,
                bs=[[x(3)] * gates] * 2,
                xs=[x(2, 4), x(2, 4)],
                **{'cx': x(2, 2, 3)} if cell else {},
            ),
            n_layers=1,
        )
