"""Devices of the stand-in: some of them, one of which is current."""
import threading

from tests.doubles.host_cupy import ledger

COUNT = 8


class _State(threading.local):
    current = 0


_state = _State()


def current():
    """Return the number of the current device."""
    return _state.current


class Device:
    """One of the devices. Entering it as a context makes it the current one."""

    def __init__(self, device=None):
        self.id = current() if device is None else int(device)
        self._previous = []

    def __int__(self):
        return self.id

    def __enter__(self):
        self._previous.append(current())
        self.use()
        return self

    def __exit__(self, *exc_info):
        _state.current = self._previous.pop()

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return '<CUDA Device %d>' % self.id

    def use(self):
        if not 0 <= self.id < COUNT:
            raise RuntimeError('cudaErrorInvalidDevice: invalid device ordinal')
        _state.current = self.id

    def synchronize(self):
        ledger.synchronise('Device.synchronize')

    @property
    def pci_bus_id(self):
        return '0000:%02X:00.0' % self.id

    compute_capability = '90'
    mem_info = (64 << 30, 80 << 30)
    attributes = {'MultiProcessorCount': 132, 'WarpSize': 32}
    cublas_handle = cusolver_handle = cusparse_handle = 0
