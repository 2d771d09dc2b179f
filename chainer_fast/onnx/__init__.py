"""Models as ONNX files, and back: the package ``onnx_chainer`` of Chainer.

Importing it needs no ONNX; reading and writing files does.
"""
from chainer_fast.onnx import context, functions, graph, mapping, onnx_helper
from chainer_fast.onnx.export import MINIMUM_OPSET_VERSION, export
from chainer_fast.onnx.onnx_chain import ONNXChain, load
