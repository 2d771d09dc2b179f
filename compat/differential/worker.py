"""A process that makes the cases that it reads, a line each, with one library.

    python -m compat.differential.worker chainer

What the cases print goes to the standard error. A case that ends the process is the
last that was read.
"""

import atexit
import faulthandler
import json
import os
import resource
import shutil
import sys
import tempfile

_MEMORY = 4 << 30


def main(name):
    answers = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from compat.differential import builder, names, observe

    library = builder.Library(name)
    observer = observe.Observer(library)
    # Cases may write files.
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, True)
    os.chdir(folder)
    json.dump(
        {'names': names.public(library), 'version': library.chainer.__version__},
        answers,
    )
    print(file=answers, flush=True)
    for line in sys.stdin:
        outcome = observer.observe(json.loads(line))
        json.dump(outcome, answers)
        print(file=answers, flush=True)


if __name__ == '__main__':
    main(sys.argv[1])
