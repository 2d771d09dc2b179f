"""Outcomes of tests, in the files that the plugin ``keeper`` writes."""
import json
import sys

BAD = 'failed', 'error'


def records(path):
    """Return the last outcome of each test, its reason, and when it came."""
    found = {}
    with open(path) as f:
        for line in f:
            # The last line may have been cut off.
            if line.endswith('\n'):
                test, *rest = json.loads(line)
                found[test] = rest
    return found


def read(path):
    """Return the last outcome of each test; ``'running'`` if it has none."""
    return {test: rest[0] for test, rest in records(path).items()}


def lost():
    """Return whether the card answers this process with errors only."""
    try:
        sys.modules['cupy'].cuda.runtime.deviceSynchronize()
    except Exception:
        return True
    return False
