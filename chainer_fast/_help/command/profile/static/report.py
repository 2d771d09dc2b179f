"""The text of a report about ``static_graph``."""
import statistics

from chainer_fast._help import installation
from chainer_fast._help.command.profile.static import methods
from chainer_fast._help.command.profile.static.session import PHASES
from chainer_fast._help.display.table import Table

# Updates that a comparison needs on both sides.
_LEAST = 8
# Differences below this part of the time are none, however certain.
_SMALL = .02
# The probability of a difference that is due to chance.
_CHANCE = .01
_REASONS = 3
# Recorded calls, as a part of all, that deserve a hint.
_MANY = .1


def text(session):
    """Return the tables of a finished session, and a sentence for each method.

    Parameters
    ----------
    session : Session

    Returns
    -------
    str
    """
    found = [each for each in session.methods if each.state is not None]
    parts = [_head(session)]
    if found:
        parts.append(_calls(found))
    samples = _samples(session, found)
    if session.has_updates and samples:
        parts.append(_updates(samples))
    if any(each.reasons for each in found):
        parts.append(_reasons(found))
    unit = 'update' if session.has_updates else 'call'
    parts.append('\n'.join(
        [_verdict(each, samples, unit) for each in found]
        or ['No method of a chain was tried: the program has to call chains in %d '
            'updates at least.' % (5 * _LEAST)]))
    if session.is_on_device:
        parts.append('On the GPU, calls are times on the host; update includes the '
                     'wait for the GPU.')
    return '\n\n'.join(parts)


def _head(session):
    return 'chainer_fast: static_graph in turns, %s%.2f s; version %s' % (
        '%d updates, ' % session.n_updates if session.has_updates else '',
        session.profile.elapsed / 1e9, installation.versions())


def _calls(found):
    lines = []
    for each in found:
        cells = [str(each.counts[way]) for way in ('plain', 'planned', 'recorded',
                                                   'code')]
        times = [_microseconds(each.times[way]) for way in ('plain', 'planned')]
        lines.append([
            each.name, 'yes' if each.is_decorated else 'no', cells[0], times[0],
            str(each.n_static), cells[1], times[1], *cells[2:]])
    return repr(Table(
        ['method', 'decorated', 'plain calls', 'us', 'static calls', 'planned', 'us',
         'recorded', 'by its code'], lines, range(2, 9)))


def _microseconds(times):
    return '%.1f' % (statistics.median(times) / 1e3) if times else ''


def _samples(session, found):
    """Return the nanoseconds of phases by method, in updates or else in calls."""
    tried = [each for each in found if each.state == methods.TRIED]
    if session.has_updates:
        return {each: session.turns.samples[each]
                for each in [None, *tried] if session.turns.samples[each]}
    return {each: [[time] for time in each.times['static']] for each in tried}


def _updates(samples):
    lines = []
    plain = samples.get(None)
    for each, found in samples.items():
        whole = [sum(sample) for sample in found]
        lines.append([
            'no method' if each is None else each.name, str(len(found)),
            *[_milliseconds([sample[i] for sample in found])
              for i in range(len(PHASES))],
            _milliseconds(whole), '%.3f' % (min(whole) / 1e6),
            '' if each is None or not plain else '%.2f' % (
                _median(plain) / _median(found))])
    return repr(Table(
        ['static in updates, ms', 'updates', *PHASES, 'all', 'least', 'ratio'], lines,
        range(1, 8)))


def _milliseconds(times):
    return '%.3f' % (statistics.median(times) / 1e6)


def _median(samples):
    return statistics.median([sum(sample) for sample in samples])


def _reasons(found):
    lines = [[each.name, str(count), reason] for each in found
             for reason, count in each.reasons.most_common(_REASONS)]
    return repr(Table(['by its code', 'calls', 'because'], lines, [1]))


def _verdict(method, samples, unit):
    """Return a sentence: whether the decorator pays."""
    name = method.name
    if method.state == methods.IDLE:
        return '%s: not measured, as updates with it static did not call it.' % name
    if method.state == methods.WRONG:
        return ('%s: do not decorate it. Its code computes with arguments that are '
                'plain arrays: a plan uses the values of earlier calls.' % name)
    if method.state == methods.REFUSED:
        return '%s: static_graph does not pay: no call has a plan%s.' % (
            name, '' if method.reasons else ', as none is of the kind of another')
    plain = samples.get(None) if unit == 'update' else [
        [time] for time in method.times['plain']]
    static = samples.get(method)
    least = min(len(plain or ()), len(static or ()))
    if least < _LEAST:
        return ('%s: too few %ss to compare, %d of at least %d on each side.' % (
            name, unit, least, _LEAST))
    figures = '%s instead of %s ms' % tuple(
        '%.3f' % (_median(each) / 1e6) for each in (static, plain))
    if not _differ(plain, static):
        found, advice = 'makes no measurable difference', _hint(method)
    elif _median(static) > _median(plain):
        found, advice = 'does not pay', _hint(method) or (
            ' Remove the decorator.' if method.is_decorated else '')
    else:
        found, advice = 'pays', '' if method.is_decorated else _advice(method)
    return '%s: static_graph %s: %s per %s.%s' % (name, found, figures, unit, advice)


def _hint(method):
    """Return a sentence about calls that are recorded again and again, or ''."""
    if method.counts['recorded'] <= _MANY * method.n_static:
        return ''
    return (
        ' Many calls were recorded, which takes longer, because their arguments or '
        'config.train changed. static_graph(minimize_cache_size=False) keeps plans '
        'when config.train changes.')


def _differ(*samples):
    """Return whether updates with one method take longer, more than by chance."""
    medians = [_median(each) for each in samples]
    if abs(medians[0] - medians[1]) <= _SMALL * max(medians):
        return False
    from scipy import stats
    return stats.mannwhitneyu(*[
        [sum(sample) for sample in each] for each in samples]).pvalue < _CHANCE


def _advice(method):
    if method.place is None:
        owner, _, name = method.name.rpartition('.')
        return ' Derive a class from %s with %s = chainer.static_graph(%s).' % (
            owner, name, method.name)
    return ' Write @chainer.static_graph above it: %s.' % method.place
