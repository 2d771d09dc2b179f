"""Data sets, iterators, converters and serializers."""

from compat.differential.language import (
    array,
    case,
    dict_,
    given,
    make,
    plain,
    slice_,
    thing,
    tuple_,
)

_ROWS = list(range(9))
_KEYS = (
    2,
    -2,
    slice_(1, 6, 2),
    slice_(None, None, -1),
    [2, 0],
    tuple_(1, 3),
    given([1, 0, 8], 'i4'),
)


def _data_sets():
    """Yield names and arguments of data sets of nine rows."""
    pairs = [tuple_(i, i * i) for i in range(9)]
    yield 'datasets.TupleDataset', [_ROWS, plain(9, 2)], {}
    yield 'datasets.DictDataset', [], {'a': _ROWS, 'b': plain(9, 2)}
    yield 'datasets.ConcatenatedDataset', [_ROWS[:4], _ROWS[4:]], {}
    yield 'datasets.TransformDataset', [_ROWS, thing('negative')], {}
    yield 'datasets.SubDataset', [pairs, 1, 8], {}
    yield 'datasets.SubDataset', [_ROWS, 0, 9, _ROWS[::-1]], {}
    yield 'datasets.TransformDataset', [pairs, thing('pair_swap')], {}
    yield 'datasets.ImageDataset', [thing('pictures')], {}
    yield 'datasets.LabeledImageDataset', [thing('labeled_pictures')], {}
    yield 'datasets.TextDataset', [thing('text')], {}
    yield 'datasets.ZippedImageDataset', [thing('zipped')], {}
    yield 'datasets.MultiZippedImageDataset', [[thing('zipped')]], {}
    yield (
        'datasets.LabeledZippedImageDataset',
        [thing('zipped'), thing('zipped_labels')],
        {},
    )
    yield 'datasets.PickleDataset', [thing('pickles')], {}
    yield 'datasets.open_pickle_dataset', [thing('pickle_path')], {}
    yield 'dataset.tabular.from_data', [tuple_(_ROWS, plain(9, 2))], {}
    yield 'dataset.tabular.from_data', [dict_(a=_ROWS, b=plain(9))], {}
    yield 'dataset.tabular.from_data', [_ROWS], {}
    yield (
        'dataset.tabular.DelegateDataset',
        [make('dataset.tabular.from_data', tuple_(_ROWS, plain(9)))],
        {},
    )
    yield 'datasets.split_dataset', [_ROWS, 3], {}
    yield 'datasets.split_dataset_random', [_ROWS, 3, 1], {}
    yield 'datasets.split_dataset_n', [_ROWS, 2], {}
    yield 'datasets.split_dataset_n_random', [_ROWS, 2, 1], {}
    yield 'datasets.get_cross_validation_datasets', [_ROWS, 3], {}
    yield 'datasets.get_cross_validation_datasets_random', [_ROWS, 3, 1], {}


def _rows():
    for name, args, kwargs in _data_sets():
        yield case(name, *args, **kwargs)
        for key in _KEYS:
            yield case(name, *args, scene='rows', then=[key], **kwargs)
    table = [tuple_(_ROWS, plain(9, 2))]
    for member, args in (
        ('slice', ()),
        ('keys', ()),
        ('mode', ()),
        ('asdict', ()),
        ('astuple', ()),
        ('fetch', ()),
        ('convert', (tuple_([1, 2], plain(2)),)),
        ('join', (make('dataset.tabular.from_data', dict_(c=_ROWS)),)),
        ('concat', (make('dataset.tabular.from_data', *table),)),
        ('get_examples', ([0, 1], None)),
        ('get_examples', (slice_(1, 3, None), [0])),
        ('with_converter', (thing('identity'),)),
        ('get_example', (1,)),
    ):
        yield case(
            'dataset.tabular.from_data', *table, scene='method', then=[member, *args]
        )
    yield case('dataset.DatasetMixin', scene='method', then=['__len__'])
    yield case('dataset.DatasetMixin', scene='method', then=['get_example', 0])
    for member in 'keys', 'mode', 'slice', '__len__':
        yield case('dataset.TabularDataset', scene='method', then=[member])
    yield case(
        'datasets.PickleDatasetWriter',
        thing('buffer'),
        scene='written',
        then=['write', 1],
    )
    yield case('datasets.open_pickle_dataset_writer', 'file.pkl', scene='written_file')
    for name in ('get_fashion_mnist_labels', 'get_kuzushiji_mnist_labels'):
        yield case('datasets.' + name)


def _iterators():
    for name, more in (
        ('SerialIterator', {}),
        ('MultithreadIterator', {'n_threads': 2}),
    ):
        for options in (
            {},
            {'repeat': False},
            {'shuffle': True},
            {'shuffle': True, 'repeat': False},
            {'order_sampler': make('iterators.ShuffleOrderSampler')},
        ):
            yield case(
                'iterators.' + name, _ROWS, 4, scene='iterate', **options, **more
            )
        yield case('iterators.' + name, thing('rows'), 2, scene='iterate', **more)
        yield case(
            'iterators.' + name, plain(5, 2), 2, shuffle=False, scene='iterate', **more
        )
        for member in (
            'epoch',
            'epoch_detail',
            'previous_epoch_detail',
            'is_new_epoch',
            'batch_size',
            'repeat',
            'reset',
            'next',
            'finalize',
            'current_position',
        ):
            yield case(
                'iterators.' + name, _ROWS, 4, scene='finished', then=[member], **more
            )
    yield case(
        'iterators.ShuffleOrderSampler',
        scene='call',
        then=[given([3, 1, 2, 0], 'i8'), 2],
    )
    yield case(
        'iterators.ShuffleOrderSampler',
        thing('random_state', 3),
        scene='call',
        then=[given([3, 1, 2, 0], 'i8'), 2],
    )
    yield case('iterators.OrderSampler', scene='call', then=[given([1], 'i8'), 0])
    yield case('iterators.DaliIterator', thing('rows'))
    yield case('dataset.Iterator', scene='method', then=['next'])


def _batches():
    rows = [plain(3, seed=i) for i in range(2)]
    yield rows
    yield [plain(2), plain(3)]
    yield [tuple_(plain(3, seed=i), i) for i in range(3)]
    yield [dict_(a=plain(2, seed=i), b=i) for i in range(2)]
    yield [1, 2, 3]
    yield [1.5, 2.0]
    yield [True, False]
    yield [tuple_(plain(2), plain(1)), tuple_(plain(3), plain(2))]
    yield [[plain(2), 1], [plain(2, seed=1), 2]]
    yield []
    yield plain(3, 2)


def _converters():
    for batch in _batches():
        for name in 'dataset.concat_examples', 'dataset.convert.concat_examples':
            yield case(name, batch)
            yield case(name, batch, device=-1)
            yield case(name, batch, '@numpy')
            yield case(name, batch, padding=0)
            yield case(name, batch, padding=tuple_(0, 1))
        yield case('dataset.convert.concat_examples_func', batch)
        yield case('dataset.ConcatWithAsyncTransfer', scene='call', then=[batch])
    for name in 'dataset.to_device', 'dataset.convert.to_device':
        for device in None, -1, '@numpy', 0:
            yield case(name, device, plain(2, 3))
            yield case(name, device, array(2, 3))
    for name in 'dataset.converter', 'dataset.convert.converter':
        yield case(name, scene='decorated', then=[thing('first_of')])
    for name in 'dataset.Converter', 'dataset.convert.Converter':
        yield case(name, scene='call', then=[[1]])
    for name in 'Conveyor', 'ConcatWithAsyncTransfer':
        yield case('dataset.convert.' + name, scene='method', then=['get'])
    for name in 'get_dataset_root', 'get_dataset_directory':
        args = [] if name == 'get_dataset_root' else ['some/where', False]
        yield case('dataset.' + name, *args, scene='kind')
    yield case(
        'dataset.cache_or_load_file', thing('file'), thing('writer'), thing('reader')
    )
    yield case('dataset.cached_download', '')


def _serializers():
    for made in (
        thing('chain'),
        thing('sequential'),
        thing('chain_list'),
        make('links.Linear', None, 2),
        thing('lazy'),
        make('links.BatchNormalization', 3),
    ):
        for form in 'npz', 'hdf5':
            yield case('Variable', scene='round_trip_of', then=[made, form])
            yield case(
                'Variable', scene='round_trip_of', then=[made, form, thing('chain')]
            )
            yield case(
                'Variable',
                scene='round_trip_of',
                then=[made, form, thing('chain'), False],
            )
        yield case('serializers.DictionarySerializer', scene='visited', then=[made])
    yield case(
        'serializers.DictionarySerializer', scene='target_of', then=['a', array(2, 3)]
    )
    for value in plain(2, 3), 3, 2.5, None, 'text', True, [1, 2], array(2):
        yield case(
            'serializers.DictionarySerializer', scene='called', then=['a', value]
        )
    for value in plain(2, 3), plain(dtype='i4'), plain(1), plain(dtype='f8'):
        for strict in True, False:
            for held in 1, plain(2, 3), None:
                yield case(
                    'serializers.NpzDeserializer',
                    dict_(a=value),
                    strict=strict,
                    scene='called',
                    then=['a', held],
                )
    yield case(
        'serializers.NpzDeserializer',
        dict_(**{'b/a': plain(2)}),
        'b/',
        scene='called',
        then=['a', plain(2)],
    )
    for name in 'save_npz', 'save_hdf5', 'load_npz', 'load_hdf5':
        yield case('serializers.' + name, 'no/such/file', thing('chain'))
    for name in 'HDF5Serializer', 'HDF5Deserializer':
        yield case('serializers.' + name, None, scene='called', then=['a', plain(2)])
    for name in 'AbstractSerializer', 'Serializer', 'Deserializer':
        yield case(name, scene='called', then=['a', 1])


def cases():
    return [
        each
        for part in (_rows, _iterators, _converters, _serializers)
        for each in part()
    ]
