"""The stand-in for CuPy as modules of their own, in a process without CuPy."""
import sys

import numpy
import pytest

from tests.doubles import host_cupy

if numpy.lib.NumpyVersion(numpy.__version__) < '2.1.0':
    # The stand-in can't be made.
    collect_ignore_glob = ['test_*.py']


@pytest.fixture(params=host_cupy.VERSIONS)
def cupy(request, monkeypatch):
    """The stand-in for each version; device 0 is current."""
    modules = host_cupy.make(request.param)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return modules['cupy']
