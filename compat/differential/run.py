"""A run: cases are executed by both libraries, compared, and reported."""

import collections
import concurrent.futures
import queue
import sys
import time

from compat.differential import (
    cases,
    causes,
    code,
    compare,
    mutations,
    names,
    pool,
    record,
    specs,
)


class Progress:
    """Lines about how far a run is, some seconds apart."""

    def __init__(self, total, every=10.0):
        self.total, self.every = total, every
        self.start = self.last = time.monotonic()

    def tell(self, done, found):
        now = time.monotonic()
        if now - self.last > self.every or done == self.total:
            self.last = now
            print(
                '%d of %d cases, %d differ, %.0f s'
                % (done, self.total, found, now - self.start),
                file=sys.stderr,
                flush=True,
            )


class Tally:
    """Counts of cases by field, and the differences by their descriptions."""

    def __init__(self):
        self.fields = collections.defaultdict(collections.Counter)
        self.found = {}

    def add(self, base, changes, theirs, ours, explained=(), least=0.0):
        """Count a case, and return in which ways its outcomes differ."""
        field = names.field(base['name'])
        counts = self.fields[field]
        counts['cases'] += 1
        kind = (
            'ended'
            if 'ended' in theirs
            else 'error'
            if ('error' in theirs)
            else 'result'
        )
        counts[kind] += 1
        case = mutations.apply(base, changes)
        different = compare.differences(case, theirs, ours, least)
        counts['differ'] += bool(different)
        for each in different:
            if each in explained:
                continue
            key = causes.key(base, changes, each)
            if key in self.found:
                self.found[key].count += 1
            else:
                self.found[key] = causes.Cause(base, changes, each)
                self.found[key].outcomes = theirs, ours
        return different


def _pairs(args, count):
    for _ in range(count):
        yield pool.Pair(
            pool.Worker(args.python, 'chainer'),
            pool.Worker(sys.executable, 'chainer_fast'),
        )


def make(chosen, numbers, pairs, tally):
    """Make the cases of numbers, and yield each with Chainer's outcome."""
    free = queue.SimpleQueue()
    for pair in pairs:
        free.put(pair)

    def one(number):
        base, changes = chosen[number]
        pair = free.get()
        try:
            return base, changes, pair(mutations.apply(base, changes))
        finally:
            free.put(pair)

    progress = Progress(len(numbers))
    with concurrent.futures.ThreadPoolExecutor(len(pairs)) as threads:
        for done, (base, changes, outcomes) in enumerate(threads.map(one, numbers), 1):
            found = tally.add(base, changes, *outcomes)
            progress.tell(done, len(tally.found))
            yield base, changes, outcomes[0], found


def reduce(tally, pair, least, table):
    """Return the causes of differences, each once, with all their counts."""
    found = {}
    reduced = 0

    def order(cause):
        # Few changes first: what they show need not be reduced again. Of several
        # changes, one that is explained may not be what makes the difference.
        return causes.explanation(str(cause), table) is not None, len(cause.changes)

    for cause in sorted(tally.found.values(), key=order):
        is_explained, count = order(cause)
        if (
            str(cause) not in found
            and count > (1 if is_explained else 0)
            and pair is not None
            and reduced < least
        ):
            reduced += 1
            causes.shrink(cause, pair)
        text = str(cause)
        if text in found:
            found[text].count += cause.count
        else:
            found[text] = cause
    return found


def report(tally, found, args, table, seconds):
    """Print causes and the table; return whether all are explained."""
    reasons = {text: causes.explanation(text, table) for text in found}
    for text, cause in sorted(found.items()):
        if reasons[text] and not args.explained:
            continue
        print('\n%s   (%d)' % (text, cause.count))
        if reasons[text]:
            print('    explained: %s' % reasons[text][1])
        for line in code.program(cause.case):
            print('    ' + line)
        for name, outcome in zip(('Chainer', 'here'), cause.outcomes, strict=True):
            print('    # %s: %s' % (name, _short(outcome)))
        what = compare.place(cause.case, *cause.outcomes)
        if what and not any('error' in outcome for outcome in cause.outcomes):
            print(
                '    # %s: %s\n    #     not %s'
                % (what[0], str(what[2])[:300], str(what[3])[:300])
            )
    print(
        '\n%-18s %8s %8s %8s %8s %8s'
        % ('field', 'cases', 'result', 'error', 'ended', 'differ')
    )
    total = collections.Counter()
    for field, counts in sorted(tally.fields.items()):
        total.update(counts)
        _line(field, counts)
    _line('all', total)
    explained = [text for text in found if reasons[text]]
    print(
        '%d causes, %d of them explained; %.0f s'
        % (len(found), len(explained), seconds)
    )
    return len(explained) == len(found)


def _line(field, counts):
    print(
        '%-18s %8d %8d %8d %8d %8d'
        % (
            field,
            *[counts[key] for key in ('cases', 'result', 'error', 'ended', 'differ')],
        )
    )


def _short(outcome):
    if 'ended' in outcome:
        return outcome['ended']
    if 'error' in outcome:
        return '%s in the %s: %s' % (
            outcome['error'][0],
            outcome['stage'],
            ' '.join(outcome.get('message', '').split())[:150],
        )
    text = str([outcome.get('results'), outcome.get('grads'), outcome['warnings']])
    return text if len(text) < 300 else text[:300] + '...'


def _missing(public):
    """Print names without a specification; return whether there are some."""
    missing = names.without(
        [name for name in public if name not in specs.WITHOUT], specs.all_cases()
    )
    for name in missing:
        print('no case is about %s: write one in compat/differential/specs/' % name)
    return bool(missing)


def against(path):
    """Compare with recorded outcomes; return the public names, and the tally."""
    public, rows = record.read(path)
    ours = pool.Worker(sys.executable, 'chainer_fast')
    tally = Tally()
    progress = Progress(len(rows))
    for number, (base, changes, theirs, explained) in enumerate(rows, 1):
        ours.ask(mutations.apply(base, changes))
        tally.add(base, changes, theirs, ours.answer(), explained, record.TOLERANCE)
        progress.tell(number, len(tally.found))
    ours.close()
    return public, tally


def _to_record(rows, tally, table):
    """Yield the rows of a file: cases that differ without explanation are left out."""
    for base, changes, outcome, found in rows:
        if 'ended' in outcome:
            continue  # it takes as long as it may
        known = [tally.found[causes.key(base, changes, each)] for each in found]
        if all(causes.explanation(str(cause), table) for cause in known):
            yield base, changes, outcome, found


def beside_chainer(args, table):
    """Make the cases with both libraries; return public names, tally and causes."""
    chosen = cases.Cases(args.seed, args.only)
    pairs = list(_pairs(args, args.jobs))
    facts = pairs[0].workers[0].facts
    if facts['version'] != '7.8.1':
        raise SystemExit(
            '%s has Chainer %s, not 7.8.1' % (args.python, facts['version'])
        )
    tally, rows = Tally(), []
    try:
        for row in make(
            chosen, range(args.first, args.first + args.cases), pairs, tally
        ):
            if args.record:
                rows.append(row)
    except KeyboardInterrupt:
        print('stopped; what was found:', file=sys.stderr)
    found = reduce(tally, pairs[0], args.least, table)
    for pair in pairs:
        pair.close()
    if args.record:
        kept = list(_to_record(rows, tally, table))
        record.write(args.record, facts['names'], kept)
        print(
            '%d of %d cases recorded; the others differ without explanation'
            % (len(kept), len(rows))
        )
    return facts['names'], tally, found


def main(args):
    start = time.monotonic()
    table = causes.read_explained()
    if args.list:
        for base in cases.Cases(args.seed, args.only).bases:
            print(code.call(base))
        return 0
    if args.against:
        public, tally = against(args.against)
        found = reduce(tally, None, 0, table)
    else:
        public, tally, found = beside_chainer(args, table)
    fine = report(tally, found, args, table, time.monotonic() - start)
    return 1 if _missing(public) or not fine else 0
