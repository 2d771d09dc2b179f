"""Work that a case repeats as often as its time allows."""
import time

# When the case has used its time, by the clock `time.monotonic`.
deadline = float('inf')


def rounds(count):
    """Yield numbers up to a count, and none after the deadline but the first two."""
    for number in range(count):
        if number >= 2 and time.monotonic() >= deadline:
            return
        yield number
