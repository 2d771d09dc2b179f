"""Sources in C++ of the null device, compiled when that is due."""
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sysconfig

_HERE = pathlib.Path(__file__).parent
_BUILD = _HERE.parents[1] / 'build' / 'null_device'


def build(source, name, *flags):
    """Return the path of a shared library of a source in this folder.

    Parameters
    ----------
    source, name : str
        Names of the two files.
    *flags : str
        For the compiler.

    Returns
    -------
    pathlib.Path
    """
    source, path = _HERE / source, _BUILD / name
    if not path.exists() or path.stat().st_mtime < source.stat().st_mtime:
        _BUILD.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix('.%d' % os.getpid())
        subprocess.run(
            ['g++', '-O2', '-shared', '-fPIC', *flags, '-o', new, source], check=True)
        new.replace(path)
    return path


def extension(name):
    """Return a module of Python that is written in C++."""
    path = str(build(name + '.cpp', name + sysconfig.get_config_var('EXT_SUFFIX'),
                     '-I' + sysconfig.get_path('include')))
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_file_location(name, path, loader=loader))
    loader.exec_module(module)
    return module
