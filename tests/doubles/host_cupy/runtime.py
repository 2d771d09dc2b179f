"""The CUDA runtime, ranges of profilers and the driver."""
import functools

from tests.doubles.host_cupy import card, device, ledger, memory
from tests.doubles.host_cupy.registry import exports, routine

# Ranges of the profiler
#

ranges = []


@routine(module='cupy.cuda.nvtx')
def RangePush(message, id_color=-1):
    ranges.append(message)


@routine(module='cupy.cuda.nvtx')
def RangePushC(message, color=0):
    ranges.append(message)


@routine(module='cupy.cuda.nvtx')
def RangePop():
    ranges.pop()


@routine(module='cupy.cuda.nvtx')
def Mark(message, id_color=-1):
    pass


@routine(module='cupy.cuda.profiler')
def start():
    pass


@routine(module='cupy.cuda.profiler')
def stop():
    pass


@routine(module='cupy.cuda.profiler')
def initialize(config_file, output_file, output_mode):
    pass


# The runtime
#

in_runtime = functools.partial(routine, module='cupy.cuda.runtime')
exports['cupy.cuda.runtime'].update(CUDA_R_32F=0, CUDA_R_64F=1, CUDA_R_16F=2)
in_runtime(card.CUDARuntimeError)


@in_runtime
def profilerStart():
    pass


@in_runtime
def profilerStop():
    pass


@in_runtime
def getDeviceCount():
    return device.COUNT


@in_runtime
def getDevice():
    return device.current()


@in_runtime
def setDevice(device_id):
    device.Device(device_id).use()


@in_runtime
def runtimeGetVersion():
    return 12090


@in_runtime
def driverGetVersion():
    return 12090


@in_runtime
def deviceSynchronize():
    ledger.synchronise('runtime.deviceSynchronize')


@in_runtime
def streamSynchronize(stream):
    ledger.synchronise('runtime.streamSynchronize')


@in_runtime
def deviceCanAccessPeer(device, peerDevice):
    return 0


class PointerAttributes:
    """What is known of an address: its device, and which sides may use it."""

    def __init__(self, device, devicePointer, hostPointer, type=-1):
        self.device, self.type = device, type
        self.devicePointer, self.hostPointer = devicePointer, hostPointer


@in_runtime
def pointerGetAttributes(ptr):
    number = memory.device_of(ptr)
    if number < 0:
        return PointerAttributes(-2, 0, ptr, 0)
    return PointerAttributes(number, ptr, 0, 2)


@in_runtime
def memGetInfo():
    return device.Device.mem_info


@in_runtime
def getDeviceProperties(device):
    return {'name': b'stand-in on NumPy', 'totalGlobalMem': 80 << 30, 'major': 9,
            'minor': 0, 'multiProcessorCount': 132, 'warpSize': 32}


@routine(module='cupy.cuda.driver')
def get_build_version():
    return 12090
