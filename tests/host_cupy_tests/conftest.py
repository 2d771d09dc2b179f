"""The stand-in for CuPy as modules of their own, in a process without CuPy."""
import sys

import pytest

from tests import host_cupy


@pytest.fixture(params=host_cupy.VERSIONS)
def cupy(request, monkeypatch):
    """The stand-in for each version; device 0 is current."""
    modules = host_cupy.make(request.param)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return modules['cupy']
