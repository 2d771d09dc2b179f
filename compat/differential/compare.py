"""Tells in which ways two outcomes of a case differ."""
import math

from compat.differential import language

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


def _value(number):
    return float(number) if isinstance(number, str) else number


def _scale(numbers):
    finite = [abs(_value(x)) for x in numbers
              if isinstance(x, (int, float)) and math.isfinite(x)]
    return max(finite, default=0.)


def _close(mine, theirs, rtol):
    """Compare two lists of numbers, by what the largest of them is."""
    if len(mine) != len(theirs):
        return False
    if mine and isinstance(mine[0], list):
        return all(_close(a, b, rtol) for a, b in zip(mine, theirs, strict=True))
    scale = min(_scale(mine), _scale(theirs))
    for a, b in zip(mine, theirs, strict=True):
        if a == b:
            continue
        if isinstance(a, str) or isinstance(b, str):
            return False
        if abs(a - b) > rtol * (abs(b) + scale) + 1e-30:
            return False
    return True


def _kind(node):
    return node[0] if isinstance(node, list) and node and isinstance(
        node[0], str) else type(node).__name__


def _is_told(node):
    """Return whether a node tells of an array: type, shape and numbers."""
    return isinstance(node, list) and len(node) == 3 and isinstance(
        node[0], str) and node[0][:1] in '<>|=' and isinstance(node[1], list)


def _differ(mine, theirs, rtol):
    """Return what differs in results: a kind, and a text for each."""
    if _is_told(mine) and _is_told(theirs):
        if mine[0] != theirs[0]:
            return 'dtype: %s, not %s' % (mine[0], theirs[0])
        if mine[1] != theirs[1]:
            return 'shape'
        return None if _close(mine[2], theirs[2], rtol) else 'numbers'
    if type(mine) is not type(theirs):
        if isinstance(mine, (int, float)) and isinstance(theirs, (int, float)):
            return None if _close([mine], [theirs], rtol) else 'numbers'
        if theirs is None and mine[:1] == ['saved']:
            return None
        if mine is None or theirs is None:
            return 'None, not a value' if mine is None else 'a value, not None'
        return 'type: %s, not %s' % (_kind(mine), _kind(theirs))
    if isinstance(mine, list):
        if mine[:1] == theirs[:1] == ['saved']:
            # More is saved here; what Chainer saves has to be there.
            mine = {key: mine[1].get(key) for key in theirs[1]}
            return _differ(mine, theirs[1], rtol)
        if len(mine) != len(theirs):
            return 'length'
        pairs = list(zip(mine, theirs, strict=True))
    elif isinstance(mine, dict):
        if mine.keys() != theirs.keys():
            return 'keys'
        pairs = [(mine[key], theirs[key]) for key in mine]
    elif isinstance(mine, float):
        return None if _close([mine], [theirs], rtol) else 'numbers'
    else:
        if mine == theirs:
            return None
        return 'type: %s, not %s' % (mine, theirs) if isinstance(
            mine, str) and len(mine) + len(theirs) < 30 else 'value'
    return next((found for found in (_differ(a, b, rtol) for a, b in pairs) if found),
                None)


def differences(case, theirs, ours):
    """Return the ways in which our outcome differs from Chainer's, as texts."""
    if 'ended' in theirs or 'ended' in ours:
        if 'ended' in theirs and 'ended' in ours:
            return []
        return ['process: %s, not %s' % (ours.get('ended', 'goes on'),
                                         theirs.get('ended', 'goes on'))]
    if theirs.get('stage') == 'arguments' or ours.get('stage') == 'arguments':
        # No call of what the case is about.
        if ('error' in theirs) == ('error' in ours):
            return []
    if 'error' in theirs or 'error' in ours:
        return _errors(theirs, ours)
    rtol = tolerance(case, theirs, ours)
    found = []
    for key in 'results', 'first', 'grads':
        if key in theirs or key in ours:
            what = _differ(ours.get(key), theirs.get(key), rtol)
            if what:
                found.append('%s: %s' % (key, what))
                break
    if not found:
        for key in 'shares', 'changed', 'grads share':
            if ours.get(key) != theirs.get(key):
                more = 'more' if len(ours.get(key) or ()) > len(
                    theirs.get(key) or ()) else 'less' if len(
                        ours.get(key) or ()) < len(theirs.get(key) or ()) else 'other'
                found.append('%s: %s' % (key, more))
    if ours['warnings'] != theirs['warnings']:
        found.append('warnings: %s, not %s' % (
            ' '.join(ours['warnings']) or 'none',
            ' '.join(theirs['warnings']) or 'none'))
    if list(ours['random']) != list(theirs['random']):
        found.append('random numbers')
    return found


def _errors(theirs, ours):
    if 'error' not in ours:
        return ['error: none, not %s' % theirs['error'][0]]
    if 'error' not in theirs:
        return ['error: %s, not none' % ours['error'][0]]
    # Whoever catches Chainer's catches ours.
    if theirs['error'][0] in ours['error']:
        return []
    return ['error: %s, not %s' % (ours['error'][0], theirs['error'][0])]


def mentions(case, text):
    """Return whether a string is anywhere in a case."""
    return any(node == text for _, node in language.walk(case))
