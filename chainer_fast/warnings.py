"""Categories of warnings."""


class PerformanceWarning(RuntimeWarning):
    """Warning of a result that is correct but could be computed faster."""
