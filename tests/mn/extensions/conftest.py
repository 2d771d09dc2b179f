import shutil
import tempfile

import pytest


@pytest.fixture
def folder(comm):
    """Path of a folder that all processes see."""
    path = comm.bcast_obj(tempfile.mkdtemp() if comm.rank == 0 else None)
    yield path
    comm.gather_obj(None)
    if comm.rank == 0:
        shutil.rmtree(path)
