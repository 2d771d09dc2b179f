"""Records what Chainer's classes do when programs derive from them.

    PYTHON_WITH_CHAINER -m tests.derived.record
"""
import json

from tests.derived import classes


def _entry(chainer, cls, cases):
    entry = {
        kind: sorted(set().union(*[
            getattr(chainer, kind)(case, cls) for case in cases.values()]))
        for kind in ('attributes', 'called')}
    names = set(entry['attributes'])
    entry['errors'] = [
        use for use, case in cases.items() if 'error' in chainer.plain(case, cls)]
    changes = {
        way: [use for use, case in cases.items() if use not in entry['errors']
              and chainer.differences(case, cls, way, names)]
        for way in classes.WAYS}
    entry['changes'] = {way: uses for way, uses in changes.items() if uses}
    return entry


def main():
    chainer = classes.Observer('chainer')
    found = {}
    for name, cases in classes.cases().items():
        cls = chainer.find(name)
        if cls is not None:
            found[name] = _entry(chainer, cls, cases)
    with open(classes.RECORDS, 'w', encoding='utf-8') as file:
        json.dump(found, file, indent=0, sort_keys=True)
        file.write('\n')


if __name__ == '__main__':
    main()
