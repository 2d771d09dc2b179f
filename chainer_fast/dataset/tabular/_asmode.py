"""Views that change the type of examples."""
from chainer_fast.dataset.tabular import delegate_dataset


class _Astuple(delegate_dataset._View):
    mode = tuple


class _Asdict(delegate_dataset._View):
    mode = dict
