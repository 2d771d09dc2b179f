"""Groups differences by their cause: the least change of a call that shows each."""

import copy
import csv
import fnmatch
import pathlib

from compat.differential import compare, mutations

EXPLAINED = pathlib.Path(__file__).with_name('explained.tsv')


class Cause:
    """A callable, the changes that it takes, and what differs then."""

    def __init__(self, base, changes, difference):
        self.base, self.changes, self.difference = base, changes, difference
        self.count = 1
        self.outcomes = None

    @property
    def case(self):
        return mutations.apply(self.base, self.changes)

    def __str__(self):
        changes = ' & '.join(sorted(map(mutations.label, self.changes))) or 'as it is'
        return '%s | %s | %s' % (self.base['name'], changes, self.difference)


def key(base, changes, difference):
    """Return a key that distinguishes causes before they are shrunk."""
    return base['name'], tuple(sorted(map(mutations.label, changes))), difference


def _shows(pair, base, changes, difference):
    case = mutations.apply(base, changes)
    outcomes = pair(case)
    return difference in compare.differences(case, *outcomes) and outcomes


def _tell_without_debug_mode(cause, pair):
    """Replace an error of debug mode in one library by the difference without it."""
    changes = [each for each in cause.changes if each[1] != ['config', 'debug']]
    error, _, other = cause.difference.partition(', not ')
    one_raises = error.startswith('error') and 'none' in (error[7:], other)
    if changes == cause.changes or not one_raises:
        return
    case = mutations.apply(cause.base, changes)
    found = [
        each
        for each in compare.differences(case, *pair(case))
        if not each.startswith('warnings')
    ]
    if found:
        cause.changes, cause.difference = changes, found[0]


def shrink(cause, pair):
    """Remove all changes and arguments that the difference does not need."""
    _tell_without_debug_mode(cause, pair)
    base, changes = cause.base, list(cause.changes)
    number = 0
    while number < len(changes):
        fewer = changes[:number] + changes[number + 1 :]
        if _shows(pair, base, fewer, cause.difference):
            changes = fewer
        else:
            number += 1
    cause.changes = changes
    for name in list(base['kwargs']):
        less = copy.deepcopy(base)
        del less['kwargs'][name]
        touched = any(path[:2] == ['kwargs', name] for _, path, _ in changes)
        if not touched and _shows(pair, less, changes, cause.difference):
            base = less
    cause.base = base
    cause.outcomes = _shows(pair, base, changes, cause.difference) or pair(cause.case)
    if _tells_of_another(cause, pair):
        cause.difference = 'error: another of two'
    return cause


def _tells_of_another(cause, pair):
    """Return whether a call has two mistakes and each library reports one of them."""
    if len(cause.changes) < 2 or not all('error' in each for each in cause.outcomes):
        return False
    alone = [pair(mutations.apply(cause.base, [each])) for each in cause.changes]
    # How each of the mistakes would differ alone is another cause.
    theirs, ours = [
        {
            number
            for number, outcomes in enumerate(alone)
            if outcomes[side].get('error') == cause.outcomes[side]['error']
        }
        for side in (0, 1)
    ]
    return bool(theirs and ours and len(theirs | ours) > 1)


def read_explained(path=EXPLAINED):
    """Return the patterns of causes that are explained, each with its reason."""
    with open(path, newline='', encoding='utf-8') as f:
        return [
            (row['cause'], row['explanation'])
            for row in csv.DictReader(f, delimiter='\t', quoting=csv.QUOTE_NONE)
        ]


def explanation(text, table):
    """Return the pattern and the reason of a cause, or None."""
    # Brackets are no patterns in these texts.
    text = text.replace('[', '(').replace(']', ')')
    return next((row for row in table if fnmatch.fnmatchcase(text, row[0])), None)
