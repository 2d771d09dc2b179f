"""Updates of parameters; ``update.pyx`` names its parts in the order to read them."""
