"""View with its own converter."""
from chainer_fast.dataset import convert
from chainer_fast.dataset.tabular import delegate_dataset


class _WithConverter(delegate_dataset._View):

    def __init__(self, dataset, converter):
        super().__init__(dataset)
        self._converter = converter

    def convert(self, data):
        args, kwargs = convert._as_arguments(data)
        return self._converter(*args, **kwargs)
