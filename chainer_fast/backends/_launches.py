"""Objects of CuPy and the driver that compiled code needs to launch kernels."""
import ctypes
import functools
import importlib

from chainer_fast.backends._cupy import available, cupy, load_cuda_driver


def _address(function):
    return ctypes.cast(function, ctypes.c_void_p).value


def _stream():
    """Return the address of the current stream."""
    return cupy.cuda.get_current_stream().ptr


def _stream_capsule():
    """Return the equivalent function of CuPy's compiled modules, or None."""
    try:
        module = importlib.import_module('cupy_backends.cuda.stream')
        return module.__pyx_capi__['get_current_stream_ptr']
    except (ImportError, AttributeError, KeyError):
        return None


@functools.cache
def needs():
    """Return the arguments of ``launches.bind``."""
    # AMD GPUs have another driver. The attribute is private to CuPy.
    if not available or cupy.cuda.runtime.is_hip or not hasattr(
            cupy.ndarray, '_c_contiguous'):
        return {}
    driver = load_cuda_driver()
    return {
        'launch_kernel': _address(driver.cuLaunchKernel),
        'get_context': _address(driver.cuCtxGetCurrent),
        'copy': _address(driver.cuMemcpyDtoDAsync_v2),
        'stream': _stream, 'stream_capsule': _stream_capsule(),
        'device': cupy.cuda.runtime.getDevice,
        'use_device': cupy.cuda.runtime.setDevice,
        'error': cupy.cuda.driver.CUDADriverError}
