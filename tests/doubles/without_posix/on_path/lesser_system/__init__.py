"""A system without POSIX, for the code of chainer_fast in this process.

This package uses the standard library alone, as it is imported when Python starts.
"""
import json

from lesser_system import files, modules, processes

_installed = False


def install(path):
    """Take away what a file lists.

    Parameters
    ----------
    path : str
        File of JSON with the names that do not exist.
    """
    global _installed
    if _installed:
        return
    _installed = True
    with open(path, encoding='utf-8') as file:
        absent = json.load(file)
    modules.install(absent)
    files.install()
    processes.install()
