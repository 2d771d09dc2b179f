"""What stops an interpreted kernel."""


class Unknown(Exception):
    """Text of PTX that the interpreter does not know; it guesses nothing."""


class Fault(Exception):
    """What a kernel must not do; a card may fail, hang, or compute something else."""
