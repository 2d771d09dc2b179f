"""Models at the sizes that people train them with, on the processor."""
