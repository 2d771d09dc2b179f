"""Updates of parameters; ``update.pyx`` lists its parts in reading order."""
