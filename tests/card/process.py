"""Processes with limits of time, each with a log."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What the commands need of the repository, beside the package.
NEEDED = 'tests', 'benchmarks', 'compat', 'pyproject.toml'
# Seconds for a process to end by itself, and then for the system to end it: one that
# waits for a card that no longer answers cannot be killed.
PATIENCE = 5, 5
COPYING = 5     # and for what it has printed to arrive


def built():
    """Return whether the repository's package is compiled for this Python."""
    suffix = sysconfig.get_config_var('EXT_SUFFIX')
    return any((ROOT / 'chainer_fast/_core').rglob('*' + suffix))


def copy_tree(copy):
    """Copy what commands need of the repository, and return the copy's path.

    In a repository that has not been built, the package's sources would be imported in
    place of the installed package.
    """
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for name in NEEDED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name,
                            ignore=shutil.ignore_patterns('__pycache__'))
        else:
            shutil.copy(ROOT / name, copy / name)
    return copy


def environment(folder):
    """Return the variables of processes that run in a folder."""
    variables = {**os.environ, 'PYTHONUNBUFFERED': '1', 'PYTHONFAULTHANDLER': '1'}
    paths = [str(folder), *filter(None, [variables.get('PYTHONPATH')])]
    variables['PYTHONPATH'] = os.pathsep.join(paths)
    variables.pop('HOST_CUPY', None)    # it would put a stand-in in the card's place
    return variables


class Process:
    """A command that runs, with its output in a log and on standard output.

    Parameters
    ----------
    command : commands.Command
    log : pathlib.Path
    seconds : float
        After these, the process and its children are killed.
    folder : pathlib.Path
        Where to run it.
    """

    def __init__(self, command, log, seconds, folder):
        self._begin = self._end = time.monotonic()
        self._seconds = seconds
        self._late = False
        self._process = subprocess.Popen(
            command.argv, cwd=folder, stdin=subprocess.DEVNULL,
            env={**environment(folder), **command.environment}, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self._copying = threading.Thread(target=self._copy, args=(log,), daemon=True)
        self._copying.start()

    def wait(self):
        """Wait for the process, as long as it may take, and return what became of it.

        Returns
        -------
        dict
            A line of the results.
        """
        try:
            self._process.wait(max(0, self._begin + self._seconds - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._late = True
        self.kill()
        return self._found()

    def kill(self):
        """Kill the process and its children, which would hold the card.

        One that is late first reports where it is: Python does so when it is aborted.
        """
        first = signal.SIGABRT if self._late else signal.SIGTERM
        for number, patience in zip((first, signal.SIGKILL), PATIENCE, strict=True):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
        self._copying.join(COPYING)

    def _copy(self, log):
        with self._process.stdout as source, open(log, 'wb', buffering=0) as file:
            while chunk := os.read(source.fileno(), 1 << 16):
                file.write(chunk)
                sys.stdout.buffer.write(chunk)
                sys.stdout.buffer.flush()
        self._end = time.monotonic()

    def _found(self):
        status = self._process.returncode
        if self._copying.is_alive():
            self._end = time.monotonic()
        found = {'seconds': round(self._end - self._begin, 1)}
        if self._late:
            found['state'] = 'timed out'
            if status is None:
                found['reason'] = 'it cannot be killed'
        elif status < 0 or status > 128:
            found.update(state='died', signal=name_of_signal(-status if status < 0
                                                    else status - 128))
        elif status:
            found.update(state='failed', status=status)
        else:
            found['state'] = 'passed'
        return found


def name_of_signal(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return 'signal %d' % number
