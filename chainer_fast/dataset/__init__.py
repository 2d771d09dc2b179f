"""The interfaces of data sets, iterators and converters, and cached downloads."""
from chainer_fast.dataset import (
    convert as convert,
    dataset_mixin as dataset_mixin,
    download as download,
    iterator as iterator,
    tabular as tabular,
)
from chainer_fast.dataset.convert import (
    ConcatWithAsyncTransfer as ConcatWithAsyncTransfer,
    Converter as Converter,
    concat_examples as concat_examples,
    converter as converter,
    to_device as to_device,
)
from chainer_fast.dataset.dataset_mixin import DatasetMixin as DatasetMixin
from chainer_fast.dataset.download import (
    cache_or_load_file as cache_or_load_file,
    cached_download as cached_download,
    get_dataset_directory as get_dataset_directory,
    get_dataset_root as get_dataset_root,
    set_dataset_root as set_dataset_root,
)
from chainer_fast.dataset.iterator import Iterator as Iterator
from chainer_fast.dataset.tabular.tabular_dataset import (
    TabularDataset as TabularDataset,
)
