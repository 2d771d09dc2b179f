"""A folder, and comparisons, of all processes of a job."""
import contextlib
import shutil
import tempfile


@contextlib.contextmanager
def folder(comm):
    """Return a context with the path of a folder that all processes see."""
    path = comm.bcast_obj(tempfile.mkdtemp() if comm.rank == 0 else None)
    yield path
    comm.gather_obj(None)
    if comm.rank == 0:
        shutil.rmtree(path)


def together(comm):
    """Wait until all processes are here."""
    comm.bcast_obj(comm.gather_obj(None))
