"""Calls of links."""

from tests.arguments.described import case, ids, x


def links():
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
