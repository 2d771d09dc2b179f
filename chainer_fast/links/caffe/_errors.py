"""The error for files that are not networks."""
from google.protobuf import message


class CaffeModelError(
        message.DecodeError, AttributeError, IndexError, RuntimeError, ValueError):
    """Error for a caffemodel that is damaged or requires an unsupported feature.

    The message names the file and, if possible, the layer. The class derives from all
    types that Chainer raises for such files, so that programs that catch one of those
    keep working: ``DecodeError`` of protobuf (the file cannot be read), RuntimeError (a
    layer is not supported), IndexError and ValueError (weights are missing or have the
    wrong size) and AttributeError (two layers have the same name).
    """
