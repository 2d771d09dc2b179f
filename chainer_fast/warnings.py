"""Categories of warnings."""


class PerformanceWarning(RuntimeWarning):
    """Something gives the right result, but could give it faster."""
