"""A small training whose snapshots do not compress, and processes to run it in."""
import json
import os
import traceback
import warnings

import numpy

from chainer_fast import serializers
from chainer_fast.training import extensions
from chainer_fast.training.extensions import snapshot_writers
from tests.training import stubs


class Payload:
    """Extension with a state that does not compress."""

    name = 'payload'
    trigger = (1, 'iteration')

    def __init__(self):
        self.data = numpy.zeros(20000, numpy.uint8)

    def __call__(self, trainer):
        self.data = numpy.random.RandomState(trainer.updater.iteration).bytes(20000)
        self.data = numpy.frombuffer(self.data, numpy.uint8).copy()

    def serialize(self, serializer):
        self.data = serializer('data', self.data)


def run(out, n, writer='SimpleWriter', savefun=serializers.save_npz, do=None,
        n_retains=-1, **kwargs):
    """Train, doing something in each iteration; return the one at which it began."""
    trainer = stubs.make_trainer((n, 'iteration'), out=out)
    trainer.extend(Payload())
    trainer.extend(
        extensions.snapshot(
            writer=getattr(snapshot_writers, writer)(savefun), autoload=True,
            n_retains=n_retains, **kwargs), trigger=(2, 'iteration'))
    begin = []

    def note(trainer):
        begin.append(trainer.updater.iteration)
        if do is not None:
            do(begin[-1])

    trainer.extend(note)
    trainer.run(show_loop_exception_msg=False)
    return begin[0] - 1


def in_child(function, *args):
    """Call a function in another process; return its warnings, error and result."""
    reader, pipe = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            told = {'result': None, 'error': None}
            with warnings.catch_warnings(record=True) as record:
                warnings.simplefilter('always')
                warnings.filterwarnings('ignore', '.*fork.*', DeprecationWarning)
                try:
                    told['result'] = function(*args)
                except BaseException as error:
                    told['error'] = [type(error).__name__, str(error)]
            told['warnings'] = [str(warning.message) for warning in record]
            os.write(pipe, json.dumps(told).encode())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(pipe)
    with open(reader) as f:
        text = f.read()
    os.waitpid(pid, 0)
    return json.loads(text)
