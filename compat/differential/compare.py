"""Finds the differences between two outcomes of a case."""

import re

#: Relative tolerance by the least exact type of floats of a case.
_TOLERANCES = {'f2': 2e-2, 'f4': 3e-4, 'f8': 1e-7, 'c8': 3e-4, 'c16': 1e-7}
_NAMES = {'f2': 0, 'f4': 1, 'c8': 1, 'f8': 2, 'c16': 2}


def tolerance(case, *outcomes):
    """Return the tolerance for a case: that of the least exact type in it."""
    found = {'f8'}

    def look(node):
        if isinstance(node, str):
            text = node.lstrip('<>|=')
            if text in _NAMES:
                found.add(text)
            elif text == 'mixed16':
                found.add('f2')
        elif isinstance(node, dict):
            for each in node.values():
                look(each)
        elif isinstance(node, list):
            for each in node:
                look(each)

    look(case)
    for outcome in outcomes:
        look(outcome.get('results'))
        look(outcome.get('grads'))
    return _TOLERANCES[min(found, key=_NAMES.get)]


def _scale(numbers):
    return max([abs(x) for x in numbers if isinstance(x, (int, float))], default=0.0)


def _flat(numbers):
    for each in numbers:
        if isinstance(each, list):
            yield from _flat(each)
        else:
            yield each


def _close(mine, theirs, tolerances):
    """Compare two lists of numbers, relative to the largest of them."""
    rtol, floor = tolerances
    mine, theirs = list(_flat(mine)), list(_flat(theirs))
    if len(mine) != len(theirs):
        return False
    scale = min(_scale(mine), _scale(theirs)) + floor
    for a, b in zip(mine, theirs, strict=True):
        if a == b:
            continue
        if isinstance(a, str) or isinstance(b, str):
            return False
        if abs(a - b) > rtol * (abs(b) + scale) + 1e-30:
            return False
    return True


def _kind(node):
    return (
        node[0]
        if isinstance(node, list) and node and isinstance(node[0], str)
        else type(node).__name__
    )


def _is_told(node):
    """Return whether a node describes an array: type, shape and numbers."""
    return (
        isinstance(node, list)
        and len(node) == 3
        and isinstance(node[0], str)
        and node[0][:1] in '<>|='
        and isinstance(node[1], list)
    )


def _differ(mine, theirs, rtol):
    """Return what differs in results, with both sides of it; None if nothing does."""
    text = None
    if _is_told(mine) and _is_told(theirs):
        if mine[0][1:] != theirs[0][1:]:
            text = 'dtype: %s, not %s' % (mine[0], theirs[0])
        elif mine[1] != theirs[1]:
            text = 'shape'
        elif not _close(mine[2], theirs[2], rtol):
            text = 'numbers'
        elif mine[0] != theirs[0]:
            text = 'byte order'
    elif _are_numbers(mine, theirs):
        text = None if _close([mine], [theirs], rtol) else 'numbers'
    elif theirs is None and isinstance(mine, list) and mine[:1] == ['saved']:
        text = None  # more is saved here
    elif mine is None or theirs is None:
        if mine is not theirs:
            text = 'None, not a value' if mine is None else 'a value, not None'
    elif type(mine) is not type(theirs):
        text = 'type: %s, not %s' % (_kind(mine), _kind(theirs))
    elif isinstance(mine, (list, dict)):
        return _differ_inside(mine, theirs, rtol)
    elif mine != theirs and not _are_the_same_text(mine, theirs):
        text = (
            'type: %s, not %s' % (mine, theirs)
            if isinstance(mine, str) and len(mine) + len(theirs) < 30
            else 'value'
        )
    return text and (text, mine, theirs)


def _are_the_same_text(mine, theirs):
    """Compare texts but for the width of columns, on which last digits decide."""
    return isinstance(mine, str) and (
        re.sub(' (?=[],])', '', mine) == re.sub(' (?=[],])', '', theirs)
    )


def _are_numbers(mine, theirs):
    return all(
        isinstance(each, (int, float)) and not isinstance(each, bool)
        for each in (mine, theirs)
    )


def _differ_inside(mine, theirs, rtol):
    if isinstance(mine, list) and mine[:1] == theirs[:1] == ['saved']:
        # The values that Chainer saves have to exist.
        mine, theirs = {key: mine[1].get(key) for key in theirs[1]}, theirs[1]
    if isinstance(mine, list):
        if len(mine) != len(theirs):
            return 'length', mine, theirs
        pairs = zip(mine, theirs, strict=True)
    elif mine.keys() != theirs.keys():
        return 'keys', sorted(mine), sorted(theirs)
    else:
        pairs = [(mine[key], theirs[key]) for key in mine]
    return next(
        (found for found in (_differ(a, b, rtol) for a, b in pairs) if found), None
    )


def differences(case, theirs, ours, least=0.0):
    """Return the ways in which our outcome differs from Chainer's, as texts.

    ``least`` is the least tolerance.
    """
    if 'ended' in theirs or 'ended' in ours:
        if 'ended' in theirs and 'ended' in ours:
            return []
        return [
            'process: %s, not %s'
            % (ours.get('ended', 'continues'), theirs.get('ended', 'continues'))
        ]
    if _is_of_arguments(theirs, ours):
        return []
    if 'error' in theirs or 'error' in ours:
        return _errors(theirs, ours)
    what = place(case, theirs, ours, least)
    found = ['%s: %s' % what[:2]] if what else []
    if not found:
        for key in 'shares', 'changed', 'grads share':
            if ours.get(key) != theirs.get(key):
                more = (
                    'more'
                    if len(ours.get(key) or ()) > len(theirs.get(key) or ())
                    else 'less'
                    if len(ours.get(key) or ()) < len(theirs.get(key) or ())
                    else 'other'
                )
                found.append('%s: %s' % (key, more))
    for name in sorted({*ours['warnings'], *theirs['warnings']}):
        if name not in theirs['warnings']:
            found.append('warnings: %s, not none' % name)
        elif name not in ours['warnings']:
            found.append('warnings: none, not %s' % name)
    if list(ours['random']) != list(theirs['random']):
        found.append('random numbers')
    return found


def _is_of_arguments(theirs, ours):
    """Return whether nothing was called, since an argument could not be made."""
    if 'arguments' not in (theirs.get('stage'), ours.get('stage')):
        return False
    # NumPy 2 makes no uint8 of -1, and no array of rows that differ in length.
    errors = *theirs.get('error', ()), *ours.get('error', ())
    return (
        'OverflowError' in errors
        or 'inhomogeneous shape' in ours.get('message', '')
        or ('error' in theirs) == ('error' in ours)
    )


def place(case, theirs, ours, least=0.0):
    """Return the first difference of results or gradients: its kind and both sides."""
    # What is left of larger numbers has their errors.
    floor = 0.01 * min(_largest(theirs), _largest(ours))
    rtol = max(least, tolerance(case, theirs, ours)), floor
    for key in 'results', 'first', 'grads':
        if key in theirs or key in ours:
            what = _differ(ours.get(key), theirs.get(key), rtol)
            if what:
                return (key, *what)
    return None


def _largest(outcome):
    """Return the largest number of an outcome, of those up to a hundred."""
    numbers = [
        abs(each)
        for key in ('results', 'grads')
        for each in _leaves(outcome.get(key))
        if isinstance(each, (int, float)) and abs(each) < 100
    ]
    return max(numbers, default=0.0)


def _leaves(node):
    if isinstance(node, (list, dict)):
        for each in node.values() if isinstance(node, dict) else node:
            yield from _leaves(each)
    else:
        yield node


def _errors(theirs, ours):
    if 'error' not in ours:
        return ['error: none, not %s' % _named(theirs)]
    if 'error' not in theirs:
        return ['error: %s, not none' % ours['error'][0]]
    # Code that catches Chainer's error catches ours.
    if theirs['error'][0] in ours['error']:
        return []
    return ['error: %s, not %s' % (ours['error'][0], _named(theirs))]


def _named(outcome):
    meant = '' if outcome.get('meant', True) else ' by accident'
    return outcome['error'][0] + meant
