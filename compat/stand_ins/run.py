"""The record of one call of an example's script, and stand-ins for downloads."""
import dataclasses
import hashlib
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Run:
    """One call of a script.

    The script runs in a copy of its folder as working directory, so that it may write
    there and finds its neighbours. Each run has its own folder of data sets.

    Attributes
    ----------
    script : str
        Path below ``examples/``.
    arguments : tuple of str
        Arguments of the script, chosen for little work: few iterations, few units.
    prepare : callable, optional
        ``prepare(folder, cache)`` writes the data that the script reads. Both are
        ``pathlib.Path``: its working directory, and the root of Chainer's data sets
        (``CHAINER_DATASET_ROOT``).
    needs : tuple of str
        Modules beyond NumPy and Chainer, as ``'module<version'`` if later versions do
        not fit. The run is excused if one is missing.
    produces : tuple of str
        Patterns of files below the working directory that must exist afterwards, as a
        sign that the script did its work.
    prints : str
        A regular expression that must match in the output of the script.
    typed : str
        Standard input of the script.
    paths : tuple of str
        Folders below ``stand_ins/`` with replacements for packages that are no longer
        available; they come first on the script's ``PYTHONPATH``.
    note : str
        Note on this run for the table.
    enough : str
        A regular expression: once it matches the output, the script is ended. For loops
        that no argument can shorten.
    own_fault : str
        A regular expression for an error caused by a fault of the script, which occurs
        with Chainer, too. The run is excused if it reaches the error and has printed
        the expected output.
    excused : str
        Reason for not running the script: the download or the device that it needs.
    processes : int
        Number of processes of the MPI job; 0 for none. The run is excused if there is
        no mpiexec. The fault is then looked for in all of the output.
    then : tuple of Run
        Calls that follow in the same folders, for example to use a trained model. They
        are excused if this one is, and fail if it fails.
    """

    script: str
    arguments: tuple[str, ...] = ()
    prepare: Callable | None = None
    needs: tuple[str, ...] = ()
    produces: tuple[str, ...] = ()
    prints: str = ''
    typed: str = ''
    paths: tuple[str, ...] = ()
    note: str = ''
    enough: str = ''
    own_fault: str = ''
    excused: str = ''
    processes: int = 0
    then: tuple['Run', ...] = ()

    def chain(self):
        """Return this run and all runs that follow it, in order."""
        return [self, *(later for run in self.then for later in run.chain())]


def put_download(cache, url, content):
    """Write a file so that ``chainer.dataset.cached_download(url)`` finds it.

    Parameters
    ----------
    cache : pathlib.Path
        The root of the data sets.
    url : str
        Address in the script.
    content : bytes
        Contents of the file.

    Returns
    -------
    pathlib.Path
        The file.
    """
    path = cache / '_dl_cache' / hashlib.md5(url.encode()).hexdigest()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path
