"""All that the old files hold, and the comparison of what it does with what it did."""
import json
import tarfile

import old_links
import old_objects
import old_training


def cases():
    """Return the cases that this version of Chainer has, by name.

    A case has ``formats``, ``make()``, which gives the object to be saved,
    ``target()``, an object to be loaded into, and ``facts(obj)``: what the object holds
    and does, as JSON. What ``facts`` runs may change the object.
    """
    found = {}
    for module in old_links, old_training, old_objects:
        found.update(module.cases())
    return found


def members(file):
    """Return facts and contents by name of an archive of make.py."""
    with tarfile.open(fileobj=file) as archive:
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
    elif isinstance(expected, list) and isinstance(found, (list, tuple)):
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


def facts_of(name, facts):
    """Return the facts of a file of an archive."""
    found = facts['facts']
    return found.get(name, found[name.rpartition('.')[0]])


def version(facts):
    """Return the first number of the version that wrote an archive."""
    return int(facts['made_by'].split()[1].split('.')[0])


def go_on_as_then(obj, facts):
    """Let the iterators of an object draw orders as those before Chainer 5 did."""
    updater = getattr(obj, 'updater', obj)
    if hasattr(updater, 'get_iterator'):
        obj = updater.get_iterator('main')
    limit = 3 if type(obj).__name__ == 'MultiprocessIterator' else 5
    if version(facts) < limit:
        old_training.shuffle_as_then(obj)
