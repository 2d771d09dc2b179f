#!/usr/bin/env python3
"""Load thousands of damaged and forged snapshots, and check the outcomes.

    python compat/mutate_snapshots.py --count 10000

Each mutated file, npz or HDF5, is loaded into a model, an optimizer, a trainer or an
object with its own `serialize` method. Loading must not crash, hang, run code from the
file or exceed the memory limit. An error must name the file and leave the object
bitwise unchanged. Numbers that load without an error must be the saved ones, as far as
checksums can show. snapshot_mutations.py has the mutations. Workers are
processes with limited memory, so a crash of a library is noticed. The number printed
with a failure repeats it: `--only NUMBER`. The exit status is zero if there was no
failure.
"""
import argparse
import collections
import faulthandler
import io
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
import types
import warnings
import zipfile

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [ROOT, HERE, os.path.join(ROOT, 'tests', 'serializers', 'data')]

import snapshot_mutations  # noqa: E402
import snapshot_objects  # noqa: E402

import chainer_fast as chainer  # noqa: E402
from chainer_fast import serializers  # noqa: E402

PARTS = snapshot_objects.Parts(chainer)
BATCH = 500
SECONDS = 20        # limit for one file
EXPECTED = KeyError, ValueError, TypeError, OSError, zipfile.BadZipFile
DANGEROUS = (
    'pickle.find_class', 'os.system', 'os.exec', 'os.spawn', 'subprocess.Popen',
    'socket.connect', 'ctypes.dlopen')


class Custom:
    """An object like users' own: parts without methods, and derived values."""

    def __init__(self, number):
        self.model = PARTS.filled_model()
        self.state = types.SimpleNamespace(count=number, rates=[number / 3, None])
        self.table = {'scale': numpy.full(3, number, 'f')}
        self.name = 'number %d' % number
        self.total = None

    def serialize(self, serializer):
        self.state.count = serializer('count', self.state.count)
        for i in range(2):
            self.state.rates[i] = serializer('rate%d' % i, self.state.rates[i])
        self.name = serializer('name', self.name)
        self.table['scale'] = serializer['table']('scale', self.table['scale'])
        self.model.serialize(serializer['model'])
        # Loaded values may be used at once.
        self.total = sum(float(p.array.sum()) for p in self.model.params())
        self.table['late'] = serializer('late', None)


def contents(folder):
    """Return objects to save by kind, each with a function that makes one to fill."""
    return {
        'model': (PARTS.filled_model(), PARTS.model),
        'lazy': (PARTS.filled_model(), lambda: PARTS.model(lazy=True)),
        'none': (PARTS.filled_model(lazy=True), lambda: PARTS.model(lazy=True)),
        'adam': (PARTS.optimizer('Adam', 3), lambda: PARTS.optimizer('Adam', 0)),
        'momentum': (PARTS.optimizer('MomentumSGD', 3),
                     lambda: PARTS.optimizer('MomentumSGD', 1)),
        'trainer': (trained(folder), lambda: PARTS.trainer(folder)),
        'custom': (Custom(7), lambda: Custom(2))}


def trained(folder):
    trainer = PARTS.trainer(folder)
    trainer.run()
    return trainer


def dump(obj, seen=None):
    """Return the whole state of an object as comparable text and tuples."""
    seen = {} if seen is None else seen
    if isinstance(obj, numpy.ndarray):
        return 'array', str(obj.dtype), obj.shape, obj.tobytes()
    if isinstance(obj, (str, bytes, int, float, bool, type(None), numpy.generic)):
        return type(obj).__name__, repr(obj)
    if id(obj) in seen:
        return 'seen', seen[id(obj)]
    seen[id(obj)] = len(seen)
    if isinstance(obj, dict):
        # Some keys are ids of objects.
        return 'dict', tuple(
            (isinstance(k, str) and k, dump(v, seen)) for k, v in obj.items())
    if isinstance(obj, (list, tuple, collections.deque)):
        return type(obj).__name__, tuple(dump(item, seen) for item in obj)
    if isinstance(obj, set):
        return 'set', tuple(sorted(map(repr, obj)))
    state = [type(obj).__name__]
    if isinstance(obj, chainer.Variable):
        state += [dump(part, seen) for part in (
            obj.raw_array, obj._grad, obj._grad_valid, obj.update_rule)]
    if isinstance(getattr(obj, '__dict__', None), dict) and (
            type(obj).__module__.partition('.')[0] not in ('numpy', 'builtins')):
        state.append(dump(obj.__dict__, seen))
    return tuple(state)


def arrays_of(obj):
    """Return the ids of the arrays of parameters, which are filled in place."""
    if hasattr(obj, 'updater'):
        obj = obj.updater.get_optimizer('main')
    for name in 'target', 'model':
        obj = getattr(obj, name, obj)
    return [id(param.array) for param in obj.params()]


class Worker:
    """Tries mutations in this process."""

    def __init__(self, folder, args):
        self.args = args
        self.grown = 0
        self.folder = folder
        kinds = contents(folder)
        self.kinds = sorted(kinds)
        self.saved = {kind: obj for kind, (obj, _) in kinds.items()}
        self.makers = {kind: make for kind, (_, make) in kinds.items()}
        self.trap = snapshot_mutations.Trap.path = os.path.join(folder, 'trapped')
        self.files, self.loaded = {}, {}
        for kind in self.kinds:
            for form in ('stored', 'packed', 'hdf5'):
                self.files[kind, form] = data = self.write(kind, form)
                obj = self.makers[kind]()
                self.load(io.BytesIO(data), form, obj)
                self.loaded[kind, form] = dump(obj)

    def write(self, kind, form):
        file = io.BytesIO()
        if form == 'hdf5':
            serializers.save_hdf5(file, self.saved[kind])
        else:
            serializers.save_npz(file, self.saved[kind], form == 'packed')
        return file.getvalue()

    def load(self, file, form, obj):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            if form == 'hdf5':
                serializers.load_hdf5(file, obj)
            else:
                serializers.load_npz(file, obj)

    def mutate(self, number):
        rng = random.Random('%d %d' % (self.args.seed, number))
        is_hdf5 = rng.random() < self.args.hdf5
        form = 'hdf5' if is_hdf5 else rng.choice(('stored', 'packed'))
        kind = rng.choice(self.kinds)
        special = snapshot_mutations.HDF5 if is_hdf5 else snapshot_mutations.ARCHIVE
        share = .2 if is_hdf5 else .5
        mutation = rng.choice(
            special if rng.random() < share else snapshot_mutations.ANY)
        data = mutation(rng, self.files[kind, form])
        return kind, form, mutation, data, rng.random() < .2

    def try_one(self, number):
        """Return the outcome, 'refused', 'same' or 'changed', and a list of faults."""
        kind, form, mutation, data, in_memory = self.mutate(number)
        title = '%s of %s as %s' % (mutation.__name__, kind, form)
        path = os.path.join(self.folder, 'mutated')
        with open(path, 'wb') as file:
            file.write(data)
        obj = self.makers[kind]()
        before, arrays = dump(obj), arrays_of(obj)
        events.clear()
        wrong, outcome = [], 'refused'
        memory = reset_peak()
        try:
            try:
                self.load(io.BytesIO(data) if in_memory else path, form, obj)
            finally:
                self.grown = peak_memory() - memory
        except EXPECTED as error:
            message = str(error)
            if not in_memory and 'mutated' not in message:
                wrong.append('the error does not name the file')
            if dump(obj) != before:
                wrong.append('the object is half loaded')
            if arrays_of(obj) != arrays:
                wrong.append('the object has other arrays')
            wrong = wrong and [*wrong, traceback.format_exc()]
        except BaseException:
            wrong.append(traceback.format_exc())
        else:
            same = dump(obj) == self.loaded[kind, form]
            outcome = 'same' if same else 'changed'
            # Checksums protect npz, so only mutations that correct them can change
            # numbers.
            if not same and form != 'hdf5' and mutation in snapshot_mutations.ANY:
                wrong.append('damage was not noticed')
        if events or os.path.exists(self.trap):
            wrong.append('code was run: %s' % sorted(set(events)))
            if os.path.exists(self.trap):
                os.remove(self.trap)
        return outcome, form, title, wrong


events = []


def listen(event, args):
    if event in DANGEROUS:
        events.append(event)


def work(args):
    """Try a range of mutations, and report each as a line of JSON."""
    faulthandler.enable()
    with tempfile.TemporaryDirectory() as folder:
        worker = Worker(folder, args)
        sys.addaudithook(listen)
        limit = used_memory() + (args.memory << 20)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for number in range(*args.range):
            say(number=number)
            signal.alarm(SECONDS)
            outcome, form, title, wrong = worker.try_one(number)
            signal.alarm(0)
            say(outcome=outcome, form=form, title=title, wrong=wrong,
                grown=worker.grown)


def used_memory():
    with open('/proc/self/statm') as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def reset_peak():
    """Reset the peak of the memory in use; return the memory in use, in KiB."""
    with open('/proc/self/clear_refs', 'w') as file:
        file.write('5')
    return peak_memory()


def peak_memory():
    with open('/proc/self/status') as file:
        return next(int(line.split()[1]) for line in file if line.startswith('VmHWM'))


def say(**facts):
    print(json.dumps(facts), flush=True)


def run(args):
    """Try all mutations in workers; return the number of failures."""
    counts, grown, n_failed, number = collections.Counter(), (0, ''), 0, args.range[0]
    while number < args.range[1]:
        end = min(number + BATCH, args.range[1])
        result = subprocess.run(
            [sys.executable, os.path.abspath(__file__), '--seed', str(args.seed),
             '--memory', str(args.memory), '--hdf5', str(args.hdf5),
             '--work', str(number), str(end)], capture_output=True, text=True)
        for line in result.stdout.splitlines():
            facts = json.loads(line)
            if 'number' in facts:
                number, finished = facts['number'], False
                continue
            finished = True
            counts[facts['form'], facts['outcome']] += 1
            grown = max(grown, (facts['grown'], '%d: %s' % (number, facts['title'])))
            if facts['wrong']:
                n_failed += 1
                print('%d: %s\n  %s' % (
                    number, facts['title'], '\n  '.join(facts['wrong'])))
        if result.returncode:
            if not result.stdout or finished:
                sys.exit('the worker does not work:\n' + result.stderr)
            n_failed += 1
            counts['any', 'crashed'] += 1
            print('%d: the process died (%s)\n%s' % (
                number, result.returncode, result.stderr[-2000:]))
        number += 1
    report(counts, grown, n_failed)
    return n_failed


def report(counts, grown, n_failed):
    outcomes = 'refused', 'same', 'changed'
    print('%-10s %8s %8s %8s' % ('', *outcomes))
    for form in 'stored', 'packed', 'hdf5':
        print('%-10s %8d %8d %8d' % (form, *(counts[form, o] for o in outcomes)))
    print('mutations %d, crashes %d, failures %d' % (
        sum(counts.values()), counts['any', 'crashed'], n_failed))
    print('most memory taken by loading: %d MiB (%s)' % (grown[0] >> 10, grown[1]))


def parse_args(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--count', type=int, default=10000, help='default: %(default)s')
    parser.add_argument('--seed', type=int, default=0, help='default: %(default)s')
    parser.add_argument(
        '--hdf5', type=float, default=.3, metavar='SHARE',
        help='share of HDF5 files (default: %(default)s)')
    parser.add_argument(
        '--memory', type=int, default=512, metavar='MIB',
        help='memory limit of loading (default: %(default)s)')
    parser.add_argument('--only', type=int, metavar='NUMBER',
                        help='load only the file with this number')
    parser.add_argument('--work', type=int, nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    args.range = args.work or (
        (0, args.count) if args.only is None else (args.only, args.only + 1))
    return args


def main(argv=None):
    args = parse_args(argv)
    if args.work:
        return work(args)
    return bool(run(args))


if __name__ == '__main__':
    sys.exit(main())
