"""Data sets on many processes."""
from chainer_fast.mn.datasets.empty_dataset import create_empty_dataset
from chainer_fast.mn.datasets.scatter import (
    DataSizeError,
    scatter_dataset,
    scatter_index,
)
