"""Data set that delegates to another one."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chainer_fast.dataset.tabular import tabular_dataset
from chainer_fast.types import NdArray

if TYPE_CHECKING:
    from chainer_fast.dataset.tabular.tabular_dataset import TabularDataset


class DelegateDataset(tabular_dataset.TabularDataset):
    """Data set with the length, keys, mode and examples of another one.

    It is a base class for classes that change one of these, or that build their table
    in ``__init__``.

    Parameters
    ----------
    dataset : TabularDataset
        The other data set, kept as the attribute ``dataset``. Its converter is not
        used.
    """

    def __init__(self, dataset: TabularDataset) -> None:
        self.dataset = dataset

    keys: Any = property(operator.attrgetter('dataset.keys'),
                    doc='tuple of str: Keys of the other data set.')
    mode: Any = property(operator.attrgetter('dataset.mode'),
                    doc='Mode of the other data set: ``tuple``, ``dict`` or ``None``.')

    def get_examples(
            self, indices: Any,
            key_indices: Any) -> tuple[list[Any] | NdArray, ...]:
        """Return columns of the other data set."""
        return self.dataset.get_examples(indices, key_indices)

    def __len__(self) -> int:
        """Return the number of examples of the other data set."""
        return len(self.dataset)


# Attributes of views in pickles of Chainer, and their names here.
_FORMER_NAMES = {
    '_dataset': 'dataset', '_transform': '_function', '_transform_batch': '_function'}


class _View(DelegateDataset):
    """Delegate that also converts like the other data set."""

    _datasets: list[Any]     # in pickles of Chainer

    def convert(
            self, data: Sequence[Any] | dict[Any, Any] | NdArray) -> Any:
        return self.dataset.convert(data)

    def __setstate__(self, state: Any) -> None:
        for name, value in state.items():
            setattr(self, _FORMER_NAMES.get(name, name), value)
        if 'dataset' not in vars(self):
            self.dataset = self._datasets[0]
