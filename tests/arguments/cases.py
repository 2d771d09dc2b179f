"""Calls with arguments that are ints, axes, shapes or indexes.

Each case is a valid call. What is given by keyword is varied: `forms` has the ways to
write it. Where an argument takes an int or a tuple there are two cases.
"""

import dataclasses
import typing as tp

import numpy as np


@dataclasses.dataclass(frozen=True)
class Array:
    """An input: floats that are all different, or ints below a bound."""

    shape: tuple[int, ...]
    below: int = 0
    dtype: tp.Any = np.float32
    positive: bool = False

    def make(self):
        count = int(np.prod(self.shape))
        if self.below:
            return (
                (np.arange(count) * 7 % self.below).astype(np.int32).reshape(self.shape)
            )
        values = np.sin(1.0 + 1.7 * np.arange(count))
        if self.positive:
            values = values**2 + 0.1
        return values.astype(self.dtype).reshape(self.shape)


@dataclasses.dataclass(frozen=True)
class Case:
    """A call of ``name``, whose keywords in ``varied`` are varied one by one."""

    name: str
    args: tuple[tp.Any, ...]
    varied: dict[str, tp.Any]
    fixed: dict[str, tp.Any]
    then: tuple[tp.Any, ...] = ()  # what a link or another callable is called with
    get: str = ''  # a method of the result; or '[]', its items


def x(*shape):
    return Array(shape)


def positive(*shape):
    return Array(shape, positive=True)


def ids(below, *shape):
    return Array(shape, below)


def case(name, *args, fixed=(), then=(), get='', **varied):
    return Case(name, args, varied, dict(fixed), then, get)


IMAGE = x(2, 3, 8, 6)
ROIS = np.array([[1, 1, 5, 5], [0, 2, 6, 4]], np.float32)
ROWS = np.array([0, 1], np.int32)


def _pooling():
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


def _convolution():
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


def _axes():
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


def _shapes():
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
        'F.negative_sampling', x(3, 4), ids(5, 3), x(5, 4), _sampler, sample_size=2
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


def _sampler(size):
    count = int(np.prod(size))
    return (np.arange(count) * 3 % 5).astype(np.int32).reshape(size)


def _stacks():
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


def _links():
    image = x(2, 4, 7, 7)
    yield case('L.Linear', in_size=3, out_size=4, then=(x(2, 3),))
    yield case('L.Linear', 4, then=(x(2, 3, 2), 'n_batch_axes=2'))
    yield case('L.EmbedID', in_size=3, out_size=4, ignore_label=1, then=(ids(3, 4),))
    for size in 3, (3, 4):
        behind = () if size == 3 else (4,)
        yield case('L.BatchNormalization', size=size, then=(x(2, 3, *behind),))
        yield case('L.BatchRenormalization', size=size, then=(x(2, 3, *behind),))
    yield case('L.BatchNormalization', axis=0, then=(x(2, 3),))
    yield case('L.BatchNormalization', size=3, axis=(0, 2), then=(x(2, 3, 4),))
    yield case('L.BatchNormalization', axis=(0, 2), then=(x(2, 3, 4),))
    yield case('L.DecorrelatedBatchNormalization', size=6, groups=2, then=(x(8, 6),))
    yield case('L.GroupNormalization', groups=2, size=6, then=(x(2, 6, 3),))
    yield case('L.LayerNormalization', size=4, then=(x(3, 4),))
    yield case('L.Bias', axis=1, shape=(3,), then=(x(2, 3, 4),))
    yield case('L.Bias', 1, shape=3, then=(x(2, 3, 4),))
    yield case(
        'L.Scale',
        axis=1,
        W_shape=(3,),
        bias_term=True,
        bias_shape=(3,),
        then=(x(2, 3, 4),),
    )
    yield case('L.Scale', 1, W_shape=3, then=(x(2, 3, 4),))
    yield case(
        'L.Bilinear', left_size=2, right_size=3, out_size=4, then=(x(2, 2), x(2, 3))
    )
    yield case(
        'L.BinaryHierarchicalSoftmax',
        in_size=4,
        fixed=dict(tree=((0, 1), 2)),
        then=(x(3, 4), ids(3, 3)),
    )
    yield case(
        'L.BlackOut',
        in_size=4,
        counts=(5, 4, 3, 2),
        sample_size=2,
        then=(x(3, 4), ids(4, 3)),
    )
    yield case(
        'L.NegativeSampling',
        in_size=4,
        counts=(5, 4, 3, 2),
        sample_size=2,
        then=(x(3, 4), ids(4, 3)),
    )
    yield case('L.CRF1d', n_label=3, then=([x(2, 3)] * 2, [ids(3, 2)] * 2))
    yield case(
        'L.ChildSumTreeLSTM',
        in_size=3,
        out_size=4,
        then=(x(2, 4), x(2, 4), x(2, 4), x(2, 4), x(2, 3)),
    )
    yield case(
        'L.NaryTreeLSTM',
        in_size=3,
        out_size=4,
        n_ary=2,
        then=(x(2, 4), x(2, 4), x(2, 4), x(2, 4), x(2, 3)),
    )
    for n, shape in (1, (2, 4, 7)), (2, (2, 4, 7, 7)), (3, (2, 4, 5, 5, 5)):
        extra = dict(in_channels=4, out_channels=6, dilate=1, groups=2)
        for name, more in (
            (f'L.Convolution{n}D', {}),
            ('L.ConvolutionND', {'ndim': n}),
        ):
            yield case(
                name, **more, **extra, ksize=3, stride=2, pad=1, then=(x(*shape),)
            )
            yield case(
                name,
                **more,
                **extra | {'dilate': (1, 2, 1)[:n]},
                ksize=(3, 2, 2)[:n],
                stride=(2, 1, 2)[:n],
                pad=(1, 0, 1)[:n],
                then=(x(*shape),),
            )
        for name, more in (
            (f'L.Deconvolution{n}D', {}),
            ('L.DeconvolutionND', {'ndim': n}),
        ):
            yield case(
                name,
                **more,
                **extra,
                ksize=3,
                stride=2,
                pad=1,
                then=(x(*shape),),
                outsize=tuple(2 * d for d in shape[2:]),
            )
            yield case(
                name,
                **more,
                **extra | {'dilate': (1, 2, 1)[:n]},
                ksize=(3, 2, 2)[:n],
                stride=(2, 1, 2)[:n],
                pad=(1, 0, 1)[:n],
                then=(x(*shape),),
            )
    yield case('L.Convolution2D', None, 6, 3, then=(image,), stride=1)
    yield case('L.Convolution2D', in_channels=6, out_channels=3, then=(x(2, 4, 7, 7),))
    yield case(
        'L.DeformableConvolution2D',
        in_channels=4,
        out_channels=3,
        ksize=3,
        stride=2,
        pad=1,
        then=(image,),
    )
    yield case(
        'L.DeformableConvolution2D',
        in_channels=4,
        out_channels=3,
        ksize=(3, 2),
        stride=(2, 1),
        pad=(1, 0),
        then=(image,),
    )
    yield case(
        'L.DepthwiseConvolution2D',
        in_channels=4,
        channel_multiplier=2,
        ksize=3,
        stride=2,
        pad=1,
        then=(image,),
    )
    yield case(
        'L.DepthwiseConvolution2D',
        4,
        2,
        ksize=(3, 2),
        stride=(2, 1),
        pad=(1, 0),
        then=(image,),
    )
    yield case(
        'L.DilatedConvolution2D',
        in_channels=4,
        out_channels=3,
        ksize=3,
        stride=2,
        pad=1,
        dilate=2,
        then=(image,),
    )
    yield case(
        'L.DilatedConvolution2D',
        4,
        3,
        ksize=(3, 2),
        stride=(2, 1),
        pad=(1, 0),
        dilate=(1, 2),
        then=(image,),
    )
    yield case(
        'L.LocalConvolution2D',
        in_channels=4,
        out_channels=3,
        in_size=7,
        ksize=3,
        stride=2,
        then=(image,),
    )
    yield case(
        'L.LocalConvolution2D',
        4,
        3,
        in_size=(7, 7),
        ksize=(3, 2),
        stride=(2, 1),
        then=(image,),
    )
    yield case(
        'L.MLPConvolution2D',
        in_channels=4,
        out_channels=(3, 2),
        ksize=3,
        stride=2,
        pad=1,
        then=(image,),
    )
    yield case(
        'L.MLPConvolution2D',
        4,
        (3, 2),
        ksize=(3, 2),
        stride=(2, 1),
        pad=(1, 0),
        then=(image,),
    )
    yield case(
        'L.Inception',
        in_channels=4,
        out1=1,
        proj3=2,
        out3=3,
        proj5=1,
        out5=2,
        proj_pool=2,
        then=(image,),
    )
    yield case(
        'L.InceptionBN',
        in_channels=4,
        out1=1,
        proj3=2,
        out3=3,
        proj33=1,
        out33=2,
        fixed=dict(pooltype='max'),
        proj_pool=2,
        stride=1,
        then=(image,),
    )
    yield case('L.Highway', in_out_size=3, then=(x(2, 3),))
    yield case('L.Maxout', in_size=3, out_size=2, pool_size=4, then=(x(2, 3),))
    yield case('L.PReLU', shape=(3,), then=(x(2, 3),))
    yield case('L.PReLU', shape=3, then=(x(2, 3),))
    yield case('L.Swish', beta_shape=(3,), then=(x(2, 3),))
    yield case('L.Swish', beta_shape=3, then=(x(2, 3),))
    yield case('L.SimplifiedDropconnect', in_size=3, out_size=4, then=(x(2, 3),))
    for name in (
        'L.LSTM',
        'L.StatefulGRU',
        'L.GRU',
        'L.StatefulPeepholeLSTM',
        'L.StatefulZoneoutLSTM',
        'L.StatefulMGU',
    ):
        yield case(name, in_size=3, out_size=4, then=(x(2, 3),))
    yield case(
        'L.StatelessLSTM', in_size=3, out_size=4, then=(x(2, 4), x(2, 4), x(2, 3))
    )
    yield case('L.StatelessGRU', in_size=3, out_size=4, then=(x(2, 4), x(2, 3)))
    yield case('L.StatelessMGU', n_inputs=3, n_units=4, then=(x(2, 4), x(2, 3)))
    for direction in '', 'Bi':
        for kind in 'GRU', 'LSTM', 'RNNReLU', 'RNNTanh':
            state = (None, None) if kind == 'LSTM' else (None,)
            yield case(
                f'L.NStep{direction}{kind}',
                n_layers=2,
                in_size=3,
                out_size=4,
                dropout=0,
                then=(*state, [x(2, 3), x(3, 3)]),
            )
    yield case('classifier', label_key=-1)


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


def _large():
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
        'F.negative_sampling', x(3, 4), ids(5, 3), x(5, 4), _sampler, sample_size=100
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


DISTRIBUTIONS = {
    'Bernoulli': dict(p=positive(2)),
    'Beta': dict(a=positive(2), b=positive(2)),
    'Categorical': dict(p=np.array([0.2, 0.8], np.float32)),
    'Cauchy': dict(loc=x(2), scale=positive(2)),
    'Chisquare': dict(k=ids(5, 2)),
    'Dirichlet': dict(alpha=positive(2)),
    'Exponential': dict(lam=positive(2)),
    'Gamma': dict(k=positive(2), theta=positive(2)),
    'Geometric': dict(p=np.array([0.2, 0.8], np.float32)),
    'Gumbel': dict(loc=x(2), scale=positive(2)),
    'Laplace': dict(loc=x(2), scale=positive(2)),
    'LogNormal': dict(mu=x(2), sigma=positive(2)),
    'MultivariateNormal': dict(loc=x(2), scale_tril=np.eye(2, dtype=np.float32)),
    'Normal': dict(loc=x(2), scale=positive(2)),
    'OneHotCategorical': dict(p=np.array([0.2, 0.8], np.float32)),
    'Pareto': dict(scale=positive(2), alpha=positive(2)),
    'Poisson': dict(lam=positive(2)),
    'Uniform': dict(low=np.zeros(2, np.float32), high=np.ones(2, np.float32)),
}


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
    *_pooling(),
    *_convolution(),
    *_axes(),
    *_shapes(),
    *_stacks(),
    *_links(),
    *_others(),
    *_large(),
    *_modes(),
]
