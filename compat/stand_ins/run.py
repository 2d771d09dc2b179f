"""The record of one call of an example's script, and the file of a download."""
import dataclasses
import hashlib
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Run:
    """One call of a script.

    The script runs in a copy of its folder, which is its working directory, so that it
    may write there and finds its neighbours; data sets come from a folder of its own.

    Attributes
    ----------
    script : str
        Path below ``examples/``.
    arguments : tuple of str
        Arguments of the script, for little work: few iterations, few units.
    prepare : callable, optional
        ``prepare(folder, cache)`` writes the data that the script reads. Both are
        ``pathlib.Path``: its working directory, and the root of Chainer's data sets
        (``CHAINER_DATASET_ROOT``).
    needs : tuple of str
        Modules beyond NumPy and Chainer; the run is excused where one is missing. If
        later versions of the package do not fit, ``'module<version'``.
    produces : tuple of str
        Patterns of files below the working directory that have to be there afterwards,
        which shows that the script did its work.
    prints : str
        A regular expression that has to match somewhere in what the script prints.
    typed : str
        What the script reads from its standard input.
    paths : tuple of str
        Folders below ``stand_ins/`` with modules in the place of packages that no
        registry has any more; they come first on the script's ``PYTHONPATH``.
    note : str
        What a reader of the table should know of this run.
    enough : str
        A regular expression: once it matches what the script has printed, the script
        is ended. For loops that no argument makes short.
    own_fault : str
        A regular expression for the error that the script ends with by a fault of its
        own, with Chainer too. The run is excused if it gets there, and has printed what
        it should.
    excused : str
        Why the script is not run at all: the download, or the device, that it needs.
    then : tuple of Run
        Calls that follow in the same folders: what was trained is used. They are
        excused where this one is, and fail with it.
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
    then: tuple['Run', ...] = ()

    def chain(self):
        """Return this run and all that follow it, in order."""
        return [self, *(later for run in self.then for later in run.chain())]


def put_download(cache, url, content):
    """Write a file where ``chainer.dataset.cached_download(url)`` finds it.

    Parameters
    ----------
    cache : pathlib.Path
        The root of the data sets.
    url : str
        Address that the script names.
    content : bytes
        What the file holds.

    Returns
    -------
    pathlib.Path
        The file.
    """
    path = cache / '_dl_cache' / hashlib.md5(url.encode()).hexdigest()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path
