"""Objects that live on a device and can be moved: links, optimizers, iterators.

A move is a visitor that goes through a resident and everything it holds. The visitor
knows what to do with an array; the residents know which arrays they have.
"""
import abc
import threading
import typing as tp
import warnings

from chainer_fast import backend, types
from chainer_fast.backends import cuda
from chainer_fast.utils import meta

if tp.TYPE_CHECKING:
    from chainer_fast.variable import Variable


class _ThreadLocal(threading.local):

    # What to do when `to_gpu` meets an array on another GPU. None: warn. False: set it
    # to True instead, so that someone who moves much can warn once.
    flag_gpu_to_gpu = None


_thread_local = _ThreadLocal()

_RETIRED_METHODS = ('to_cpu', 'to_gpu', 'to_intel64')


class DeviceResident(meta.enable_final(meta_base=abc.ABCMeta)):
    """Base of objects that hold arrays on a device.

    A subclass calls ``DeviceResident.__init__`` and extends
    :meth:`device_resident_accept` to pass each of its arrays, parameters and inner
    residents to the visitor.
    """

    _device = backend.CpuDevice()

    def __init__(self):
        # A subclass may still replace the retired methods. Whoever moves a resident
        # that does so has to call its method; to look that up at every move would
        # cost more than to know it from the start.
        self._overridden_to_methods = tuple([
            name for name in _RETIRED_METHODS
            if _is_to_device_method_overridden(self, name)])

    def device_resident_accept(self, visitor):
        """Pass what the object holds to a visitor.

        Parameters
        ----------
        visitor : DeviceResidentsVisitor
        """
        visitor.visit_device_resident(self)

    @property
    def xp(self) -> types.Xp:
        """Array module of the device: ``numpy`` or ``cupy``."""
        return getattr(self.device, 'xp', None)

    @property
    def device(self):
        """The :class:`~chainer_fast.backend.Device` that the object is on."""
        return self._device

    @meta.final(action=DeprecationWarning)
    def to_cpu(self) -> 'DeviceResident':
        """Move the object to the CPU.

        .. deprecated:: 7.0
            Use ``to_device('@numpy')``.

        Arrays that are there, including those of iDeep, are not copied.

        Returns
        -------
        DeviceResident
            The object itself.
        """
        return self.__retired_move('to_cpu', backend.CpuDevice())

    @meta.final(action=DeprecationWarning)
    def to_gpu(
            self,
            device: types.CudaDeviceSpec | None = None,
    ) -> 'DeviceResident':
        """Move what is on the CPU to a GPU.

        .. deprecated:: 7.0
            Use ``to_device('@cupy:N')``.

        Parameters
        ----------
        device : int or cupy.cuda.Device, optional
            The GPU; the current one by default. What is on a GPU already stays there,
            and a ``RuntimeWarning`` says so if it is another one.

        Returns
        -------
        DeviceResident
            The object itself.

        Raises
        ------
        RuntimeError
            If CuPy is not available.
        ValueError
            If ``device`` is no GPU.
        """
        cuda.check_cuda_available()
        gpu = cuda._get_device_or_current(device)
        return self.__retired_move(
            'to_gpu', backend.GpuDevice(gpu), {'device': gpu}, leave_on_gpu=True)

    @meta.final(action=DeprecationWarning)
    def to_intel64(self) -> 'DeviceResident':
        """Move the object to the CPU, for iDeep.

        .. deprecated:: 7.0
            Use ``to_device('@intel64')``.

        Returns
        -------
        DeviceResident
            The object itself.

        Raises
        ------
        RuntimeError
            If iDeep is not available.
        """
        return self.__retired_move('to_intel64', backend.Intel64Device())

    @meta.final
    def to_chx(self):
        """Turn the arrays into arrays of ChainerX, without a copy.

        Raises
        ------
        RuntimeError
            Always: ChainerX is not available.
        """
        raise RuntimeError('ChainerX is not available.')

    @meta.final
    def from_chx(self):
        """Turn arrays of ChainerX, of which there are none, into ones of NumPy or CuPy.

        Returns
        -------
        DeviceResident
            The object itself.
        """
        return self

    @meta.final
    def to_device(self, device: types.DeviceSpec) -> 'DeviceResident':
        """Move the object to a device.

        Parameters
        ----------
        device
            Specifier of the device, see :func:`chainer_fast.get_device`.

        Returns
        -------
        DeviceResident
            The object itself.
        """
        self.device_resident_accept(_ToDeviceVisitor(backend.get_device(device)))
        return self

    def __retired_move(self, method, device, kwargs=None, *, leave_on_gpu=False):
        # Every move that starts here ends here, also where a subclass has replaced the
        # method and calls this one: hence the visitor must not call it on `self`.
        self.device_resident_accept(_ToDeviceVisitor(
            device, (method, kwargs or {}), leave_on_gpu, self))
        return self


class DeviceResidentsVisitor:
    """Base of what goes through device residents."""

    def visit_device_resident(self, device_resident):
        """Deal with a resident itself; called before those for its contents.

        Parameters
        ----------
        device_resident : DeviceResident
        """
        raise NotImplementedError()

    def visit_array(self, arr):
        """Deal with an array that is not one of a variable.

        Parameters
        ----------
        arr : array

        Returns
        -------
        array
            What the resident shall hold from now on.
        """
        raise NotImplementedError()

    def visit_variable(self, param: 'Variable'):
        """Deal with a variable, in place.

        Parameters
        ----------
        param : Variable
        """
        raise NotImplementedError()


class _ToDeviceVisitor(DeviceResidentsVisitor):
    """Moves residents to a device.

    Parameters
    ----------
    device : backend.Device
    entry_method_info : tuple of (str, dict), optional
        The retired method that the move began with, and its arguments.
    skip_between_cupy_devices : bool
        Leave alone what is on a GPU, if the device is one.
    starting_device_resident : DeviceResident, optional
        The resident whose retired method began the move. That method is running: it
        is not to be called again.
    """

    def __init__(
            self, device, entry_method_info=None, skip_between_cupy_devices=False,
            starting_device_resident=None):
        self._device = device
        self._start = starting_device_resident
        self._leave_on_gpu = (
            skip_between_cupy_devices and isinstance(device, backend.GpuDevice))
        if entry_method_info is None:
            self._retired_method, self._retired_kwargs = _retired_method_for(device)
        else:
            self._retired_method, self._retired_kwargs = entry_method_info
            warnings.warn(
                '%s is deprecated. Please use to_device(%r) instead.' % (
                    self._retired_method,
                    '@cupy:N' if self._retired_method == 'to_gpu' else device.name),
                DeprecationWarning)

    def visit_device_resident(self, device_resident):
        device_resident._device = self._device
        if (self._retired_method in device_resident._overridden_to_methods
                and device_resident is not self._start):
            getattr(device_resident, self._retired_method)(**self._retired_kwargs)

    def visit_array(self, arr):
        if self._stays(backend.get_device_from_array(arr)):
            return arr
        return self._device.send(arr)

    def visit_variable(self, param):
        if not self._stays(param.device):
            param.to_device(self._device)

    def _stays(self, where):
        """Return whether something on the device ``where`` is to stay there."""
        if not (self._leave_on_gpu and isinstance(where, backend.GpuDevice)):
            return False
        if where == self._device:
            return True
        if _thread_local.flag_gpu_to_gpu is None:
            warnings.warn(
                'to_gpu() leaves what is on a GPU already where it is: GPU-%d, not '
                'GPU-%d. Use to_device() to move between GPUs.'
                % (where.device.id, self._device.device.id), RuntimeWarning)
        else:
            _thread_local.flag_gpu_to_gpu = True
        return True


def _retired_method_for(device):
    """Return the retired method that moves to a device, and its arguments."""
    if isinstance(device, backend.GpuDevice):
        return 'to_gpu', {'device': device.device.id}
    return 'to_intel64' if isinstance(device, backend.Intel64Device) else 'to_cpu', {}


def _is_to_device_method_overridden(device_resident, method_name):
    """Return whether a resident has a retired method of its own."""
    own = getattr(type(device_resident), method_name)
    return own is not getattr(DeviceResident, method_name)
