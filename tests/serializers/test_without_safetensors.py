"""What a program hears where safetensors is not installed."""
import sys

import pytest

import chainer_fast as chainer
from chainer_fast import serializers


def test_message(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, 'safetensors', None)
    monkeypatch.setitem(sys.modules, 'safetensors.numpy', None)
    link = chainer.links.Linear(2, 2)
    for use in serializers.save_safetensors, serializers.load_safetensors:
        with pytest.raises(RuntimeError, match='pip install .*safetensors'):
            use(str(tmp_path / 'x'), link)
