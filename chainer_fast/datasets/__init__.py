"""Data sets: combinations of arrays and other data sets, files, and well-known ones."""
from chainer_fast.datasets import (
    cifar as cifar,
    concatenated_dataset as concatenated_dataset,
    dict_dataset as dict_dataset,
    fashion_mnist as fashion_mnist,
    image_dataset as image_dataset,
    kuzushiji_mnist as kuzushiji_mnist,
    mnist as mnist,
    pickle_dataset as pickle_dataset,
    ptb as ptb,
    sub_dataset as sub_dataset,
    svhn as svhn,
    text_dataset as text_dataset,
    transform_dataset as transform_dataset,
    tuple_dataset as tuple_dataset,
)
from chainer_fast.datasets.cifar import (
    get_cifar10 as get_cifar10,
    get_cifar100 as get_cifar100,
)
from chainer_fast.datasets.concatenated_dataset import (
    ConcatenatedDataset as ConcatenatedDataset,
)
from chainer_fast.datasets.dict_dataset import DictDataset as DictDataset
from chainer_fast.datasets.fashion_mnist import (
    get_fashion_mnist as get_fashion_mnist,
    get_fashion_mnist_labels as get_fashion_mnist_labels,
)
from chainer_fast.datasets.image_dataset import (
    ImageDataset as ImageDataset,
    LabeledImageDataset as LabeledImageDataset,
    LabeledZippedImageDataset as LabeledZippedImageDataset,
    MultiZippedImageDataset as MultiZippedImageDataset,
    ZippedImageDataset as ZippedImageDataset,
)
from chainer_fast.datasets.kuzushiji_mnist import (
    get_kuzushiji_mnist as get_kuzushiji_mnist,
    get_kuzushiji_mnist_labels as get_kuzushiji_mnist_labels,
)
from chainer_fast.datasets.mnist import get_mnist as get_mnist
from chainer_fast.datasets.pickle_dataset import (
    PickleDataset as PickleDataset,
    PickleDatasetWriter as PickleDatasetWriter,
    open_pickle_dataset as open_pickle_dataset,
    open_pickle_dataset_writer as open_pickle_dataset_writer,
)
from chainer_fast.datasets.ptb import (
    get_ptb_words as get_ptb_words,
    get_ptb_words_vocabulary as get_ptb_words_vocabulary,
)
from chainer_fast.datasets.sub_dataset import (
    SubDataset as SubDataset,
    get_cross_validation_datasets as get_cross_validation_datasets,
    get_cross_validation_datasets_random as get_cross_validation_datasets_random,
    split_dataset as split_dataset,
    split_dataset_n as split_dataset_n,
    split_dataset_n_random as split_dataset_n_random,
    split_dataset_random as split_dataset_random,
)
from chainer_fast.datasets.svhn import get_svhn as get_svhn
from chainer_fast.datasets.text_dataset import TextDataset as TextDataset
from chainer_fast.datasets.transform_dataset import TransformDataset as TransformDataset
from chainer_fast.datasets.tuple_dataset import TupleDataset as TupleDataset
