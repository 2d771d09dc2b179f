"""Downloads without a network."""
import pytest

# Fixtures alone import chainer_fast: tests of GPUs need CuPy's stand-in before it.


@pytest.fixture
def root(tmp_path):
    """An empty folder for all data sets."""
    from chainer_fast import dataset
    saved = dataset.get_dataset_root()
    dataset.set_dataset_root(str(tmp_path / 'root'))
    yield tmp_path / 'root'
    dataset.set_dataset_root(saved)


@pytest.fixture
def served(root, monkeypatch):
    """Contents by address. Each is delivered once, so nothing may be read twice."""
    from chainer_fast.dataset import download
    served = {}

    def retrieve(url, path):
        if url not in served:
            raise OSError('unreachable')
        with open(path, 'wb') as f:
            f.write(served.pop(url))

    monkeypatch.setattr(download, '_retrieve', retrieve)
    return served
