"""The interfaces of data sets, iterators and converters, and cached downloads."""
from chainer_fast.dataset import convert, dataset_mixin, download, iterator, tabular
from chainer_fast.dataset.convert import (
    ConcatWithAsyncTransfer,
    Converter,
    concat_examples,
    converter,
    to_device,
)
from chainer_fast.dataset.dataset_mixin import DatasetMixin
from chainer_fast.dataset.download import (
    cache_or_load_file,
    cached_download,
    get_dataset_directory,
    get_dataset_root,
    set_dataset_root,
)
from chainer_fast.dataset.iterator import Iterator
from chainer_fast.dataset.tabular.tabular_dataset import TabularDataset
