"""A process that makes the cases that it reads, a line each, with one library.

    python -m compat.differential.worker chainer

What the cases print goes to the standard error. A case that ends the process is the
last that was read.
"""

import atexit
import faulthandler
import fcntl
import json
import os
import resource
import shutil
import sys
import tempfile

_MEMORY = 4 << 30


def _copy(number):
    """Return a file descriptor away from the small ones, which cases may close."""
    return fcntl.fcntl(number, fcntl.F_DUPFD, 64)


def _empty(folder):
    """Remove what a case has left in a folder."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, True)
        else:
            os.remove(entry.path)


def main(name):
    questions, answers = os.fdopen(_copy(0)), os.fdopen(_copy(1), 'w')
    standard = _copy(os.open(os.devnull, os.O_RDONLY)), _copy(2), _copy(2)

    def restore():
        for number, file in enumerate(standard):
            os.dup2(file, number)

    restore()
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from compat.differential import builder, names, observe

    library = builder.Library(name)
    observer = observe.Observer(library)
    # Cases may write files, which the next one does not find.
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, True)
    json.dump(
        {'names': names.public(library), 'version': library.chainer.__version__},
        answers,
    )
    print(file=answers, flush=True)
    for line in questions:
        restore()
        _empty(folder)
        os.chdir(folder)
        outcome = observer.observe(json.loads(line))
        json.dump(outcome, answers)
        print(file=answers, flush=True)


if __name__ == '__main__':
    main(sys.argv[1])
