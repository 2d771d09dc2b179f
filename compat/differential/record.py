"""Files with cases and what Chainer made of them.

The first line has the seed, the count and the public names, and each other one an
outcome. The cases are made of the seed again; a digest tells whether they are the same.
"""
import gzip
import hashlib
import json


def digest(case):
    """Return a short text that changes with the case."""
    text = json.dumps(case, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _rounded(node):
    if isinstance(node, float):
        return float('%.5g' % node)
    if isinstance(node, list):
        return [_rounded(each) for each in node]
    if isinstance(node, dict):
        return {key: _rounded(each) for key, each in node.items()
                if key not in ('message', 'log')}
    return node


def write(path, facts, rows):
    """Write the outcomes of cases, which are pairs of a case and an outcome."""
    with open(path, 'wb') as raw, gzip.GzipFile(
            '', 'wb', 9, raw, mtime=0) as file:
        file.write(json.dumps(facts).encode() + b'\n')
        for case, outcome in rows:
            line = [digest(case), _rounded(outcome)]
            file.write(json.dumps(line, separators=(',', ':')).encode() + b'\n')


def read(path):
    """Return the facts of a file, and its digests and outcomes."""
    with gzip.open(path, 'rt', encoding='utf-8') as file:
        facts = json.loads(next(file))
        return facts, [tuple(json.loads(line)) for line in file]
