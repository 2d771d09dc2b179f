"""Write snapshots, or check that they load: see README.md.

    python make_snapshots.py write FOLDER [MODULE]
    python make_snapshots.py check FOLDER [MODULE]

MODULE is `chainer` unless it is given. It runs on any Python from 2.7 on and any
Chainer from 4 on; `snapshot_objects.py` builds the objects, as it does for the tests.
"""
from __future__ import print_function  # noqa: UP010

import importlib
import json
import os
import sys
import warnings

import numpy
import snapshot_objects


def contents(parts, folder, best):
    """List the files: name, what is saved, what it is loaded into, facts, options."""
    def model(lazy=False):
        return parts.filled_model(lazy)

    of_model, of_optimizer = parts.facts_of_model, parts.facts_of_optimizer
    yield 'model.npz', model(), parts.model(), of_model, {}
    yield 'model_stored.npz', model(), parts.model(True), of_model, {
        'compression': False}
    # A parameter whose shape is not known yet is saved as a None.
    yield 'lazy.npz', model(True), parts.model(True), of_model, {}
    yield 'lazy.h5', model(True), parts.model(True), of_model, {}
    for name in 'Adam', 'MomentumSGD':
        for when, n_steps in ('before', 0), ('after', 3):
            yield ('%s_%s.npz' % (name, when), parts.optimizer(name, n_steps),
                   parts.optimizer(name, 0), of_optimizer, {})
    yield ('Adam_after.h5', parts.optimizer('Adam', 3), parts.optimizer('Adam', 0),
           of_optimizer, {'compression': None})
    trainer = parts.trainer(folder, best=best)
    trainer.run()
    log = os.path.join(folder, 'log')
    if os.path.exists(log):
        os.remove(log)
    yield ('trainer.npz', trainer, parts.trainer(folder, best=best),
           parts.facts_of_trainer, {})


def write(chainer, folder):
    if not os.path.isdir(folder):
        os.makedirs(folder)
    serializers = chainer.serializers
    parts, facts = snapshot_objects.Parts(chainer), {}
    best = int(chainer.__version__[0]) >= 6
    for name, saved, _, facts_of, options in contents(parts, folder, best):
        save = serializers.save_hdf5 if name.endswith('.h5') else serializers.save_npz
        save(os.path.join(folder, name), saved, **options)
        facts[name] = facts_of(saved)

    # What programs did by hand: several objects in one archive, some levels deep.
    collector = serializers.DictionarySerializer()
    model, optimizer = parts.filled_model(), parts.optimizer('Adam', 3)
    collector['run']['model'].save(model)
    collector['run']['optimizer'].save(optimizer)
    numpy.savez(os.path.join(folder, 'nested.npz'), **collector.target)
    facts['nested.npz'] = {'model': parts.facts_of_model(model),
                           'optimizer': parts.facts_of_optimizer(optimizer)}
    with open(os.path.join(folder, 'facts.json'), 'w') as file:
        json.dump(facts, file, indent=0, sort_keys=True, separators=(',', ':'))


def check(chainer, folder):
    """Load each file; return the number of those that are not what they should be."""
    serializers = chainer.serializers
    parts, n_wrong = snapshot_objects.Parts(chainer), 0
    with open(os.path.join(folder, 'facts.json')) as file:
        facts = json.load(file)
    best = 'best' in facts['trainer.npz']
    for name, _, target, facts_of, _ in contents(parts, folder, best):
        load = serializers.load_hdf5 if name.endswith('.h5') else serializers.load_npz
        try:
            load(os.path.join(folder, name), target)
            right = facts_of(target) == facts[name]
        except KeyError:
            # An optimizer that has not done a step has no states to load.
            right = 'before' in name
        print('%-24s %s' % (name, 'ok' if right else 'DIFFERS'))
        n_wrong += not right
    return n_wrong


if __name__ == '__main__':
    warnings.simplefilter('ignore')
    action, folder = sys.argv[1:3]
    module = importlib.import_module((sys.argv[3:] or ['chainer'])[0])
    sys.exit({'write': write, 'check': check}[action](module, folder))
