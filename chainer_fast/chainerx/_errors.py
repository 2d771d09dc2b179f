"""Exceptions of ChainerX."""


class ChainerxError(RuntimeError):
    """Base of all errors of ChainerX."""


class BackendError(ChainerxError):
    """A backend is unknown or cannot do what it is asked."""


class ContextError(ChainerxError):
    """There is no context, or it does not have what is looked for."""


class DeviceError(ChainerxError):
    """Arrays or devices do not belong together."""


class DimensionError(ChainerxError):
    """Shapes, axes or numbers of elements do not fit."""


class DtypeError(ChainerxError):
    """Dtypes do not fit the operation."""


class GradientError(ChainerxError):
    """A gradient does not fit its array."""


class GradientCheckError(ChainerxError):
    """Gradients differ from those by finite differences."""


class NotImplementedError(ChainerxError):  # noqa: A001
    """The operation is not there."""


for _error in (ChainerxError, BackendError, ContextError, DeviceError, DimensionError,
               DtypeError, GradientError, GradientCheckError, NotImplementedError):
    _error.__module__ = 'chainerx'
