"""The error of files that are no network."""
from google.protobuf import message


class CaffeModelError(
        message.DecodeError, AttributeError, IndexError, RuntimeError, ValueError):
    """A caffemodel that is damaged, or asks for what is not supported.

    It names the file and, where one is to blame, the layer. It is an error of each of
    the types that Chainer raises for such files, so that programs that catch one of
    them go on to do so: ``DecodeError`` of protobuf (the file cannot be read),
    RuntimeError (a layer is not supported), IndexError and ValueError (weights are
    missing, or do not fit) and AttributeError (two layers have the same name).
    """
