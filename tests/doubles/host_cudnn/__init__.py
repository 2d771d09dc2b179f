"""A stand-in for NVIDIA's frontend of cuDNN, which computes with NumPy.

:func:`make` returns a module that takes the place of ``cudnn``. It reads and writes the
arrays of the stand-in for CuPy by their addresses, and is as strict as the frontend:
its graphs have the methods and parameters of a version and no others, their steps come
in the one order, tensors must have consistent shapes, and an execution needs exactly
the tensors that are not virtual, at addresses of the alignment that the frontend gives
them, a workspace, and a handle of the thread and device.

It has four engines, which differ in their notes and workspaces, and notes which of them
ran. It can't know which graphs the engines of cuDNN take, on which card, nor how they
round; ``refused`` has the operations that it is told to have no engine for.
"""
import ctypes
import json
import pathlib
import threading
import types
import weakref

from tests.doubles.host_cudnn import graph
from tests.doubles.host_cupy import device

VERSIONS = ('1.24', '1.28')


class Handle:
    """A handle of cuDNN; the older frontend has its number."""

    def __init__(self):
        self.device, self.thread = device.current(), threading.get_ident()
        self.stream, self.graphs = 0, weakref.WeakSet()
        self.backend_handle = id(self)      # from version 1.28 on


def make(version='1.28'):
    """Return a module in the place of ``cudnn``.

    Parameters
    ----------
    version : {'1.24', '1.28'}
        Names and parameters are those of this version of the frontend.

    Returns
    -------
    module
        ``ran`` lists the executions as (engine, operations, stream); ``refused`` is a
        set of operations; ``planned`` counts the graphs that were given plans.
        ``destroyed`` has for each handle that is no more how many of its graphs there
        still were.
    """
    path = pathlib.Path(__file__).with_name('api-%s.json' % version)
    api = json.loads(path.read_text())
    module = types.ModuleType('cudnn')
    module.__version__ = api['version']
    for name, members in api['enumerations'].items():
        setattr(module, name, types.SimpleNamespace(
            **{member: '%s.%s' % (name, member) for member in members}))
    module.ran, module.refused, module.planned = [], set(), 0
    module.destroyed = []
    module.cudnnGraphNotSupportedError = graph.NotSupported
    module.backend_version = lambda: 91002
    handles = {}

    def create_handle():
        handle = Handle()
        handles[id(handle)] = handle
        return id(handle) if version == '1.24' else handle

    def destroy_handle(handle):
        found = handles.pop(handle if version == '1.24' else id(handle))
        if found.device != device.current():
            raise RuntimeError('CUDNN_STATUS_BAD_PARAM: a handle of another device')
        module.destroyed.append(len(found.graphs))

    def handle_at(number):
        return handles[number]

    def set_stream(handle, stream):
        module.handle_of(handle).stream = stream

    def handle_of(handle):
        found = handles[handle if version == '1.24' else id(handle)]
        if (found.device, found.thread) != (device.current(), threading.get_ident()):
            raise RuntimeError('CUDNN_STATUS_BAD_PARAM: a handle of another device')
        return found

    module.create_handle, module.set_stream = create_handle, set_stream
    module.destroy_handle, module.handle_of = destroy_handle, handle_of
    module.handle_at, module.addresses_handles = handle_at, version == '1.24'
    module.pygraph = graph.make(module, api)
    return module


