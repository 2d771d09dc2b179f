"""Settings of programs for GPUs."""


def cupy_share_allocator() -> None:
    """Make CuPy and ChainerX share a memory pool, which they always do here."""
