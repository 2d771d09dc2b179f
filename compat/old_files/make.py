"""Writes files saved by a released version of Chainer, and their values in it.

Run by that version's own Python, it writes VERSION-pyX.Y.tar into a folder. The
archive has npz and HDF5 files and pickles of models, optimizers, trainers, iterators,
data sets, and more; facts.json in it has the values, the outputs and the next steps
that the version itself gives after loading each of them.
"""
import argparse
import io
import json
import os
import pickle
import sys
import tarfile
import tempfile
import warnings

import chainer
import numpy
import old_cases


def saved(case, suffix):
    """Return the contents of a file with the object of a case."""
    handle, path = tempfile.mkstemp(suffix='.' + suffix)
    os.close(handle)
    try:
        save = {'npz': chainer.serializers.save_npz,
                'h5': chainer.serializers.save_hdf5}[suffix]
        save(path, case.make())
        with open(path, 'rb') as f:
            return f.read()
    finally:
        os.remove(path)


def loaded(contents, case, suffix):
    """Return an object that was loaded from such a file."""
    handle, path = tempfile.mkstemp(suffix='.' + suffix)
    os.close(handle)
    try:
        with open(path, 'wb') as f:
            f.write(contents)
        obj = case.target()
        load = {'npz': chainer.serializers.load_npz,
                'h5': chainer.serializers.load_hdf5}[suffix]
        load(path, obj)
        return obj
    finally:
        os.remove(path)


def files_of(case):
    """Yield suffix, contents and facts of the files of a case; or an error's text."""
    for suffix in case.formats:
        if suffix != 'pickle':
            try:
                contents = saved(case, suffix)
                yield suffix, contents, case.facts(loaded(contents, case, suffix))
            except Exception as error:
                yield suffix, None, repr(error)
            continue
        for protocol in sorted({0, 2, pickle.HIGHEST_PROTOCOL}):
            suffix = 'p%d' % protocol
            try:
                contents = pickle.dumps(case.make(), protocol)
                yield suffix, contents, case.facts(pickle.loads(contents))
            except Exception as error:
                yield suffix, None, repr(error)


def add(archive, name, contents):
    """Add a member to an archive."""
    info = tarfile.TarInfo(name)
    info.size = len(contents)
    archive.addfile(info, io.BytesIO(contents))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('folder', help='where to write')
    parser.add_argument('--only', help='cases whose names contain this', default='')
    arguments = parser.parse_args()
    warnings.simplefilter('ignore')
    made_by = 'Chainer %s, Python %s, NumPy %s' % (
        chainer.__version__, sys.version.split()[0], numpy.__version__)
    facts, refused, n_files = {}, {}, 0
    name = '%s-py%d.%d.tar' % ((chainer.__version__,) + sys.version_info[:2])
    with tarfile.open(os.path.join(arguments.folder, name), 'w') as archive:
        for key, case in sorted(old_cases.cases().items()):
            if arguments.only not in key:
                continue
            for suffix, contents, found in files_of(case):
                if contents is None:
                    refused['%s.%s' % (key, suffix)] = found
                    continue
                add(archive, '%s.%s' % (key, suffix), contents)
                n_files += 1
                if key not in facts:
                    facts[key] = found
                elif facts[key] != found:
                    facts['%s.%s' % (key, suffix)] = found
        add(archive, 'facts.json', json.dumps(
            {'made_by': made_by, 'facts': facts, 'refused': refused},
            sort_keys=True, indent=0, separators=(',', ':')).encode('ascii'))
    print('%s: %d files, %d that it does not write' % (
        made_by, n_files, len(refused)))
    for file, error in sorted(refused.items()):
        print('    %s: %s' % (file, error))


if __name__ == '__main__':
    main()
