"""Data sets in columns: every example has the same keys, and views are cheap."""
from chainer_fast.dataset.tabular import (
    _asmode,
    _concat,
    _join,
    _slice,
    _transform,
    _with_converter,
    delegate_dataset as delegate_dataset,
    tabular_dataset as tabular_dataset,
)
from chainer_fast.dataset.tabular.delegate_dataset import (
    DelegateDataset as DelegateDataset,
)
from chainer_fast.dataset.tabular.from_data import from_data as from_data
