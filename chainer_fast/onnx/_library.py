"""The package ``onnx``, imported when it is first needed."""
import importlib


class _Library:
    """Stands for the package ``onnx``: ``library.onnx.helper.make_node(...)``."""

    def __getattr__(self, name):
        try:
            package = importlib.import_module('onnx')
        except ImportError as error:
            raise ImportError(
                "ONNX files need the package onnx, which cannot be imported (%s): "
                "install it with pip install 'chainer-fast[onnx]'" % error) from error
        return getattr(package, name)


onnx = _Library()
