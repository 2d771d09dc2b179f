"""Exceptions of ChainerX."""


class ChainerxError(RuntimeError):
    """Base class of all errors of ChainerX."""


class BackendError(ChainerxError):
    """A backend is unknown or does not support a request."""


class ContextError(ChainerxError):
    """A context is missing, or lacks the requested object."""


class DeviceError(ChainerxError):
    """Arrays or devices do not belong together."""


class DimensionError(ChainerxError):
    """Shapes, axes or numbers of elements do not match."""


class DtypeError(ChainerxError):
    """The operation does not support the dtypes."""


class GradientError(ChainerxError):
    """A gradient does not match its array."""


class GradientCheckError(ChainerxError):
    """Gradients differ from numerical ones."""


class NotImplementedError(ChainerxError):  # noqa: A001
    """The operation is not implemented."""


for _error in (ChainerxError, BackendError, ContextError, DeviceError, DimensionError,
               DtypeError, GradientError, GradientCheckError, NotImplementedError):
    _error.__module__ = 'chainerx'
