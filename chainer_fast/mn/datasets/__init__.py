"""Data sets on many processes."""
from chainer_fast.mn.datasets.empty_dataset import (
    create_empty_dataset as create_empty_dataset,
)
from chainer_fast.mn.datasets.scatter import (
    DataSizeError as DataSizeError,
    scatter_dataset as scatter_dataset,
    scatter_index as scatter_index,
)
