"""Models that people trained, on the processor."""
