"""Devices in training code, which were numbers up to version 5; -1 was the processor.

Current devices act as their numbers wherever only a number is possible: in comparisons,
as keys, in ``int(device)`` and ``'%d' % device``. If such a version is named, the
attributes of updaters and evaluators are the numbers themselves.
"""
import functools
import operator

from chainer_fast.backends import cuda, intel64
from chainer_fast.backends._cpu import CpuDevice
from chainer_fast.dataset import convert
from chainer_fast.legacy import _named, _report
from chainer_fast.training.extensions import Evaluator
from chainer_fast.training.updaters import StandardUpdater

WHAT = 'devices as numbers'
_COMPARISONS = ('lt', 'le', 'gt', 'ge')
_ARITHMETIC = ('add', 'sub', 'mul', 'floordiv', 'mod')
_DEVICES = (CpuDevice, cuda.GpuDevice, intel64.Intel64Device)


def number_of(device):
    """Convert a device to its old number; return anything else unchanged."""
    if isinstance(device, cuda.GpuDevice):
        return device.device.id
    if isinstance(device, (*_DEVICES, cuda.DummyDeviceType)):
        # The part ``cpu`` replaces GPUs by the processor.
        return getattr(device, '_number', -1)
    return device


def _is_number(value):
    return isinstance(value, cuda._integer_types) and not isinstance(value, bool)


def _counted(device):
    _report.adapted(WHAT)
    return number_of(device)


def _make_operator(operate):
    """Return a method for a device and a number, or another device."""
    def method(self, other):
        if not (_is_number(other) or isinstance(other, _DEVICES)):
            return NotImplemented
        return operate(_counted(self), number_of(other))
    return method


def _make_reflected(operate):
    return _make_operator(lambda number, other: operate(other, number))


def _equal(method):
    @functools.wraps(method)
    def equal(self, other):
        if _is_number(other):
            return _counted(self) == other
        return method(self, other)
    return equal


def _index(self):
    """Return the number."""
    return int(_counted(self))


def _format(self, spec):
    """Write the number if the format is that of one."""
    return format(_counted(self) if spec[-1:].isalpha() and spec[-1] != 's'
                  else str(self), spec)


def _hash(self):
    # The hash of the number, so that both are the same key in a dictionary. Devices of
    # the processor are equal, regardless of the GPU that they represent.
    return hash(self.device.id if isinstance(self, cuda.GpuDevice) else -1)


def _act_as_numbers(patches):
    methods = {
        **{'__%s__' % name: _make_operator(getattr(operator, name))
           for name in (*_COMPARISONS, *_ARITHMETIC)},
        **{'__r%s__' % name: _make_reflected(getattr(operator, name))
           for name in _ARITHMETIC},
        '__index__': _index, '__int__': _index, '__format__': _format,
        '__hash__': _hash}
    for cls in _DEVICES:
        for name, method in methods.items():
            patches.set(cls, name, method)
        patches.set(cls, '__eq__', _equal(cls.__eq__))
    # It had a number, but was equal to none. Python 2 compared and hashed any object.
    for name in (*['__%s__' % name for name in _COMPARISONS], '__hash__'):
        patches.set(cuda.DummyDeviceType, name, methods[name])


def _taking_devices(function):
    """Wrap a function of GPU numbers to accept current devices, too."""
    @functools.wraps(function)
    def call(*devices):
        return function(*[
            _counted(device) if isinstance(device, cuda.GpuDevice) else device
            for device in devices])
    return call


def _resolving(call_converter):
    """Wrap callers of converters for evaluators whose device is a number."""
    @functools.wraps(call_converter)
    def call(converter, batch, device):
        return call_converter(converter, batch, convert._get_device(device))
    return call


def _identified(device_id):
    @functools.wraps(device_id)
    def identify(device):
        number = getattr(device, '_number', None)
        return device_id(device) if number is None else number
    return identify


class _Announced:
    """The attribute ``auto_new_epoch`` of updaters whose constructor is not called.

    Optimizers count epochs for updaters with this attribute.
    """

    def __get__(self, updater, cls=None):
        if updater is not None:
            for optimizer in updater.get_all_optimizers().values():
                optimizer.use_auto_new_epoch = True
        return True


def _device_of_evaluator():
    """Return the attribute, which shows the number to a program."""
    def get(self):
        try:
            device = self.__dict__['device']
        except KeyError:
            raise AttributeError('%r object has no attribute %r' % (
                type(self).__name__, 'device')) from None
        return number_of(device)

    def put(self, device):
        self.__dict__['device'] = device
    return property(get, put)


def install(patches):
    """Let devices act as numbers, and be numbers if such a version is named."""
    _act_as_numbers(patches)
    for name in ('_get_cuda_device', '_get_device_or_current'):
        patches.set(cuda, name, _taking_devices(getattr(cuda, name)))
    for name, wrap in ('_call_converter', _resolving), ('_device_id', _identified):
        patches.set(convert, name, wrap(getattr(convert, name)))
    # Attributes of updaters that do not call the constructor, unneeded in versions 1 to
    # 5.
    for name, value in ('_device', None), ('_input_device', None), (
            'loss_func', None), ('loss_scale', None), ('auto_new_epoch', _Announced()):
        patches.set(StandardUpdater, name, value)
    patches.set(Evaluator, '_progress_bar', False)
    if _named.is_named(patches, 'v5'):
        device = vars(StandardUpdater)['device']
        patches.set(StandardUpdater, 'device', property(
            lambda self: number_of(device.fget(self)), device.fset))
        patches.set(Evaluator, 'device', _device_of_evaluator())
