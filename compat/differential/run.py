"""A run: cases are made by both libraries, compared, and told about."""
import collections
import concurrent.futures
import queue
import sys
import time

from compat.differential import (cases, causes, code, compare, mutations, names, pool,
                                 record, specs)


class Progress:
    """Lines about how far a run is, some seconds apart."""

    def __init__(self, total, every=10.):
        self.total, self.every = total, every
        self.start = self.last = time.monotonic()

    def tell(self, done, found):
        now = time.monotonic()
        if now - self.last > self.every or done == self.total:
            self.last = now
            print('%d of %d cases, %d differ, %.0f s' % (
                done, self.total, found, now - self.start), file=sys.stderr, flush=True)


class Tally:
    """Counts of cases by field, and the differences by what is seen of them."""

    def __init__(self):
        self.fields = collections.defaultdict(collections.Counter)
        self.found = {}

    def add(self, base, changes, theirs, ours):
        field = names.field(base['name'])
        counts = self.fields[field]
        counts['cases'] += 1
        kind = 'ended' if 'ended' in theirs else 'error' if (
            'error' in theirs) else 'result'
        counts[kind] += 1
        case = mutations.apply(base, changes)
        different = compare.differences(case, theirs, ours)
        if different:
            counts['differ'] += 1
        for each in different:
            key = causes.key(base, changes, each)
            if key in self.found:
                self.found[key].count += 1
            else:
                self.found[key] = causes.Cause(base, changes, each)
                self.found[key].outcomes = theirs, ours


def _pairs(args, count):
    for _ in range(count):
        yield pool.Pair(pool.Worker(args.python, 'chainer'),
                        pool.Worker(sys.executable, 'chainer_fast'))


def make(chosen, numbers, pairs, tally):
    """Make the cases of numbers, and yield each with Chainer's outcome."""
    free = queue.SimpleQueue()
    for pair in pairs:
        free.put(pair)

    def one(number):
        base, changes = chosen[number]
        case = mutations.apply(base, changes)
        pair = free.get()
        try:
            return base, changes, case, pair(case)
        finally:
            free.put(pair)

    progress = Progress(len(numbers))
    with concurrent.futures.ThreadPoolExecutor(len(pairs)) as threads:
        for done, (base, changes, case, outcomes) in enumerate(
                threads.map(one, numbers), 1):
            tally.add(base, changes, *outcomes)
            progress.tell(done, len(tally.found))
            yield case, outcomes[0]


def reduce(tally, pair, least, table):
    """Return the causes of differences, each once, with all their counts."""
    found = {}
    # Few changes first: what they show need not be reduced again.
    waiting = sorted(tally.found.values(), key=lambda each: len(each.changes))
    reduced = 0
    for cause in waiting:
        if str(cause) not in found and cause.changes and pair is not None and (
                causes.explanation(str(cause), table) is None) and reduced < least:
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
            print('    # %s: %s\n    #     not %s' % (
                what[0], str(what[2])[:300], str(what[3])[:300]))
    print('\n%-18s %8s %8s %8s %8s %8s' % (
        'field', 'cases', 'result', 'error', 'ended', 'differ'))
    total = collections.Counter()
    for field, counts in sorted(tally.fields.items()):
        total.update(counts)
        _line(field, counts)
    _line('all', total)
    explained = [text for text in found if reasons[text]]
    print('%d causes, %d of them explained; %.0f s' % (
        len(found), len(explained), seconds))
    return len(explained) == len(found)


def _line(field, counts):
    print('%-18s %8d %8d %8d %8d %8d' % (field, *[
        counts[key] for key in ('cases', 'result', 'error', 'ended', 'differ')]))


def _short(outcome):
    if 'ended' in outcome:
        return outcome['ended']
    if 'error' in outcome:
        return '%s in the %s: %s' % (outcome['error'][0], outcome['stage'],
                                     ' '.join(outcome['message'].split())[:150])
    text = str([outcome.get('results'), outcome.get('grads'), outcome['warnings']])
    return text if len(text) < 300 else text[:300] + '...'


def _missing(public):
    """Print names without a specification; return whether there are some."""
    missing = names.without(
        [name for name in public if name not in specs.WITHOUT], specs.all_cases())
    for name in missing:
        print('no case is about %s: write one in compat/differential/specs/' % name)
    return bool(missing)


def against(args):
    """Compare with recorded outcomes."""
    facts, rows = record.read(args.against)
    chosen = cases.Cases(facts['seed'])
    ours = pool.Worker(sys.executable, 'chainer_fast')
    tally, stale = Tally(), 0
    progress = Progress(len(rows))
    for number, (digest, theirs) in enumerate(rows):
        base, changes = chosen[facts['numbers'][number]]
        case = mutations.apply(base, changes)
        if record.digest(case) != digest:
            stale += 1
            continue
        ours.ask(case)
        tally.add(base, changes, theirs, ours.answer())
        progress.tell(number + 1, len(tally.found))
    ours.close()
    if stale:
        print('%d recorded cases are not those of the seed any more: record them anew'
              % stale)
    return facts['names'], tally, stale


def main(args):
    start = time.monotonic()
    table = causes.read_explained()
    chosen = cases.Cases(args.seed, args.only)
    if args.list:
        for base in chosen.bases:
            print(code.call(base))
        return 0
    pairs, stale = [], 0
    if args.against:
        public, tally, stale = against(args)
    else:
        tally = Tally()
        pairs = list(_pairs(args, args.jobs))
        facts = pairs[0].workers[0].facts
        if facts['version'] != '7.8.1':
            raise SystemExit('%s has Chainer %s, not 7.8.1' % (
                args.python, facts['version']))
        public = facts['names']
        numbers = range(args.first, args.first + args.cases)
        made = make(chosen, numbers, pairs, tally)
        if args.record:
            record.write(args.record, {'seed': args.seed, 'numbers': list(numbers),
                                       'names': public}, made)
        else:
            try:
                collections.deque(made, 0)
            except KeyboardInterrupt:
                print('stopped; what was found:', file=sys.stderr)
    found = reduce(tally, pairs[0] if pairs else None, args.least, table)
    for pair in pairs:
        pair.close()
    fine = report(tally, found, args, table, time.monotonic() - start)
    return 1 if _missing(public) or stale or not fine else 0
