"""Memory by its address: pointers, arrays around it, and whose it is."""
import numpy as np
import pytest


def test_pointers(cupy):
    x = cupy.arange(12, dtype='f').reshape(3, 4)
    part = x[1:, ::2]
    assert part.data.mem is x.data.mem
    assert part.data.mem is not cupy.ones(3).data.mem
    assert part.data.ptr == (x.data + 16).ptr == int(part.data)
    assert (part.data - 16).ptr == x.data.mem.ptr
    assert x.data.mem.size == x.nbytes


def test_array_around_memory(cupy):
    x = cupy.arange(12, dtype='f').reshape(3, 4)
    with cupy.cuda.Device(1):
        part = cupy.ndarray((2, 2), 'f', x.data + 44, (-16, -8))
    assert part.device.id == 0
    np.testing.assert_array_equal(part.get(), [[11, 9], [7, 5]])
    part[...] = 0
    assert x.get()[1:, 1::2].sum() == 0
    assert part[1:].data.mem is x.data.mem
    assert cupy.ndarray((0, 3), 'f', x.data).size == 0
    assert cupy.ndarray((0, 3), 'f', cupy.cuda.alloc(0), (12, 4)).strides == (12, 4)


def test_array_beyond_memory(cupy):
    x = cupy.ones(4, 'f')
    for shape, place, strides in ((5,), 0, None), ((4,), 4, None), ((2,), 0, (-4,)):
        with pytest.raises((TypeError, ValueError)):
            cupy.ndarray(shape, 'f', x.data + place, strides)


def test_owner_of_an_address(cupy):
    runtime = cupy.cuda.runtime
    with cupy.cuda.Device(1):
        x = cupy.ones(4)
    found = runtime.pointerGetAttributes(x[2:].data.ptr)
    assert (found.device, found.devicePointer) == (1, x.data.ptr + 16)
    memory = cupy.cuda.alloc(100)
    assert runtime.pointerGetAttributes(memory.ptr + 99).device == 0
    host = np.ones(4)
    assert not runtime.pointerGetAttributes(host.ctypes.data).devicePointer
    assert cupy.cuda.UnownedMemory(x.data.ptr, 8, x).device_id == 1
    with pytest.raises(RuntimeError):
        cupy.cuda.UnownedMemory(host.ctypes.data, 8, host)
