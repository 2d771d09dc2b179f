"""Agreement of the processes of a job before they load files."""
from chainer_fast.training.extensions import _snapshot


def exchange(comm, obj):
    """Return the objects of all processes, by rank."""
    return comm.bcast_obj(comm.gather_obj(obj))


def damage_of(file):
    """Return the problem of a file of this process, or None."""
    try:
        return _snapshot._damage_of(file)
    except FileNotFoundError:
        return 'it has been removed'
