"""Data sets: combinations of arrays and other data sets, and well-known collections."""
from chainer_fast.datasets import (
    concatenated_dataset,
    dict_dataset,
    mnist,
    sub_dataset,
    transform_dataset,
    tuple_dataset,
)
from chainer_fast.datasets.concatenated_dataset import ConcatenatedDataset
from chainer_fast.datasets.dict_dataset import DictDataset
from chainer_fast.datasets.mnist import get_mnist
from chainer_fast.datasets.sub_dataset import (
    SubDataset,
    get_cross_validation_datasets,
    get_cross_validation_datasets_random,
    split_dataset,
    split_dataset_n,
    split_dataset_n_random,
    split_dataset_random,
)
from chainer_fast.datasets.transform_dataset import TransformDataset
from chainer_fast.datasets.tuple_dataset import TupleDataset
