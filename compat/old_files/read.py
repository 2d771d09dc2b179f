"""Loads the npz and HDF5 files of make.py, and compares what the objects then do.

Run by any Python that imports chainer, it prints a line for each file that does not load
or gives other figures than the version that wrote it.
"""
import argparse
import json
import os
import tarfile
import warnings

import chainer
import make


def members(path):
    """Return facts and contents by name of an archive of make.py."""
    with tarfile.open(path) as archive:
        found = {info.name: archive.extractfile(info).read() for info in archive}
    return json.loads(found.pop('facts.json').decode('ascii')), found


def difference(found, expected, path=''):
    """Return where two facts differ, as text; an empty one if they agree."""
    if isinstance(expected, dict) and isinstance(found, dict):
        keys = sorted(set(found) ^ set(expected))
        if keys:
            return '%s has other keys: %s' % (path, ', '.join(keys))
        pairs = [('%s[%r]' % (path, key), found[key], expected[key])
                 for key in sorted(expected)]
    elif isinstance(expected, list) and isinstance(found, list):
        if len(found) != len(expected):
            return '%s: %d items, not %d' % (path, len(found), len(expected))
        pairs = [('%s[%d]' % (path, i), found[i], expected[i])
                 for i in range(len(expected))]
    elif isinstance(expected, float) and isinstance(found, float):
        agrees = found != found if expected != expected else (
            abs(found - expected) <= 1e-6 * (1 + abs(expected)))
        return '' if agrees else '%s: %r, not %r' % (path, found, expected)
    else:
        return '' if found == expected else '%s: %r, not %r' % (path, found, expected)
    for pair in pairs:
        text = difference(pair[1], pair[2], pair[0])
        if text:
            return text
    return ''


def version(facts):
    """Return the first number of the version that wrote an archive."""
    return int(facts['made_by'].split()[1].split('.')[0])


def shuffle_as_then(obj):
    """Let the iterators of an object draw orders as those before Chainer 5 did."""
    import old_training
    updater = getattr(obj, 'updater', obj)
    if hasattr(updater, 'get_iterator'):
        obj = updater.get_iterator('main')
    old_training.shuffle_as_then(obj)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('archives', nargs='+', help='archives that make.py wrote')
    arguments = parser.parse_args()
    warnings.simplefilter('ignore')
    cases = make.cases()
    for path in arguments.archives:
        facts, files = members(path)
        n_right = 0
        for name in sorted(files):
            key, _, suffix = name.rpartition('.')
            if suffix not in ('npz', 'h5'):
                continue
            try:
                obj = make.loaded(files[name], cases[key], suffix)
                if version(facts) < 5:
                    shuffle_as_then(obj)
                found = cases[key].facts(obj)
            except Exception as error:
                text = '%s: %s' % (type(error).__name__, error)
            else:
                text = difference(found, facts['facts'].get(
                    name, facts['facts'][key]))
            n_right += not text
            if text:
                print('%s %s: %s' % (os.path.basename(path), name, text))
        print('%s read by Chainer %s: %d files right' % (
            facts['made_by'], chainer.__version__, n_right))


if __name__ == '__main__':
    main()
