"""The package ``onnx``, imported when it is first needed."""
import importlib

from chainer_fast._help import installation


class _Library:
    """Proxy of the package ``onnx``: ``library.onnx.helper.make_node(...)``."""

    def __getattr__(self, name):
        try:
            package = importlib.import_module('onnx')
        except ImportError as error:
            raise ImportError(
                'ONNX files need the package onnx, which cannot be imported (%s): '
                'install it with %s' % (error, installation.install('onnx'))
            ) from error
        return getattr(package, name)


onnx = _Library()
