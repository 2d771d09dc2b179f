"""Export to and import from ONNX files: the package ``onnx_chainer`` of Chainer.

Importing it needs no ONNX; reading and writing files does.
"""
from __future__ import annotations

import importlib

from chainer_fast.onnx import (
    context as context,
    functions as functions,
    graph as graph,
    mapping as mapping,
    onnx_helper as onnx_helper,
    replace_func as replace_func,
)
from chainer_fast.onnx.export import (
    MINIMUM_OPSET_VERSION as MINIMUM_OPSET_VERSION,
    convert_parameter as convert_parameter,
    export as export,
)
from chainer_fast.onnx.export_testcase import export_testcase as export_testcase
from chainer_fast.onnx.onnx_chain import ONNXChain as ONNXChain, load as load

MAXIMUM_OPSET_VERSION: int


def __getattr__(name: str) -> int:
    # Needs ONNX; the name `export` refers to the function here.
    if name == 'MAXIMUM_OPSET_VERSION':
        return importlib.import_module('chainer_fast.onnx.export').MAXIMUM_OPSET_VERSION
    raise AttributeError('module %r has no attribute %r' % (__name__, name))
