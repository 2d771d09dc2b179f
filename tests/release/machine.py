"""Pythons of this machine, environments of them, and commands."""
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

START = time.monotonic()
# Compilers, should anything look for one.
NO_COMPILER = {'CC': '/bin/false', 'CXX': '/bin/false'}
# What an installed package must not know of.
_FORGOTTEN = ('PYTHONPATH', 'PYTHONHOME', 'VIRTUAL_ENV')
_HAS_HEADERS = ('import os, sysconfig; '
                'print(os.path.exists(sysconfig.get_path("include") + "/Python.h"))')


def say(text):
    """Print a line of progress."""
    print('[%4d s] %s' % (time.monotonic() - START, text), flush=True)


def run(command, cwd=None, **environ):
    """Return what a command prints, or end the check with all that it has printed.

    Parameters
    ----------
    command : sequence
        Program and arguments.
    cwd : path-like, optional
        Folder to run it in.
    **environ
        Variables of its environment, beside those of this process.
    """
    kept = {name: value for name, value in os.environ.items() if name not in _FORGOTTEN}
    process = subprocess.run(
        list(map(str, command)), cwd=cwd, env={**kept, **environ}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if process.returncode:
        sys.exit('%s\n%s\nexit status %d' % (
            process.stdout, ' '.join(map(str, command)), process.returncode))
    return process.stdout


def find_python(version):
    """Return the path of a Python that can build, by its version or path, or None.

    Parameters
    ----------
    version : str
        Such as ``'3.12'``: it is looked for in the PATH and among pyenv's versions.

    Returns
    -------
    str or None
    """
    if os.sep in version:
        return os.path.abspath(version)
    root = Path(os.environ.get('PYENV_ROOT', '~/.pyenv')).expanduser()
    patches = sorted((root / 'versions').glob(version + '.*'), reverse=True,
                     key=lambda path: [int(n) for n in re.findall(r'\d+', path.name)])
    found = shutil.which('python' + version)
    for path in filter(None, [found, *(path / 'bin' / 'python' for path in patches)]):
        process = subprocess.run(
            [path, '-c', _HAS_HEADERS], capture_output=True, text=True)
        if process.stdout == 'True\n':
            return str(path)
    return None


def version_of(python):
    """Return the version of a Python, such as ``'3.12'``."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return run([python, '-c', code]).strip()


class Environment:
    """A virtual environment without pip, which another one installs packages in.

    Parameters
    ----------
    folder : Path
        Where it is made anew.
    python : str
        Its Python.
    installer : Environment, optional
        The one with pip; by default the environment gets a pip of its own.
    """

    def __init__(self, folder, python, installer=None):
        shutil.rmtree(folder, ignore_errors=True)
        run([python, '-m', 'venv', folder, *(['--without-pip'] if installer else [])])
        self.bin = folder / 'bin'
        self.python = self.bin / 'python'
        self._pip = [(installer or self).python, '-m', 'pip', '--python', self.python]

    def install(self, *requirements, **environ):
        """Install packages, of which there have to be wheels."""
        run([*self._pip, 'install', '--quiet', '--only-binary', ':all:',
             '--disable-pip-version-check', *requirements], **environ)

    def run(self, *command, **environ):
        """Return what a program of this environment prints, or end the check."""
        program, *arguments = command
        return run([self.bin / program, *arguments], **environ)

    def version(self, package):
        """Return the version of a package that is installed."""
        return self.run('python', '-c', 'import importlib.metadata as m; '
                        'print(m.version(%r))' % package).strip()
