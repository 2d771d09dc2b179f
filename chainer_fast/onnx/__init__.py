"""Models as ONNX files, and back: the package ``onnx_chainer`` of Chainer.

Importing it needs no ONNX; reading and writing files does.
"""
