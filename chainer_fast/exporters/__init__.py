"""Exporters of models to the formats of other frameworks."""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chainer_fast.exporters import caffe as caffe
else:
    def __getattr__(name: str) -> Any:
        # Imported on demand, since it needs protobuf.
        if name == 'caffe':
            return importlib.import_module('chainer_fast.exporters.caffe')
        raise AttributeError('module %r has no attribute %r' % (__name__, name))
