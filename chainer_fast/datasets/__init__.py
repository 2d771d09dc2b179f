"""Data sets: combinations of arrays and other data sets, files, and well-known ones."""
from chainer_fast.datasets import (
    cifar,
    concatenated_dataset,
    dict_dataset,
    fashion_mnist,
    image_dataset,
    kuzushiji_mnist,
    mnist,
    pickle_dataset,
    ptb,
    sub_dataset,
    svhn,
    text_dataset,
    transform_dataset,
    tuple_dataset,
)
from chainer_fast.datasets.cifar import get_cifar10, get_cifar100
from chainer_fast.datasets.concatenated_dataset import ConcatenatedDataset
from chainer_fast.datasets.dict_dataset import DictDataset
from chainer_fast.datasets.fashion_mnist import (
    get_fashion_mnist,
    get_fashion_mnist_labels,
)
from chainer_fast.datasets.image_dataset import (
    ImageDataset,
    LabeledImageDataset,
    LabeledZippedImageDataset,
    MultiZippedImageDataset,
    ZippedImageDataset,
)
from chainer_fast.datasets.kuzushiji_mnist import (
    get_kuzushiji_mnist,
    get_kuzushiji_mnist_labels,
)
from chainer_fast.datasets.mnist import get_mnist
from chainer_fast.datasets.pickle_dataset import (
    PickleDataset,
    PickleDatasetWriter,
    open_pickle_dataset,
    open_pickle_dataset_writer,
)
from chainer_fast.datasets.ptb import get_ptb_words, get_ptb_words_vocabulary
from chainer_fast.datasets.sub_dataset import (
    SubDataset,
    get_cross_validation_datasets,
    get_cross_validation_datasets_random,
    split_dataset,
    split_dataset_n,
    split_dataset_n_random,
    split_dataset_random,
)
from chainer_fast.datasets.svhn import get_svhn
from chainer_fast.datasets.text_dataset import TextDataset
from chainer_fast.datasets.transform_dataset import TransformDataset
from chainer_fast.datasets.tuple_dataset import TupleDataset
