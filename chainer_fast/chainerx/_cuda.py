"""What programs set for GPUs."""


def cupy_share_allocator() -> None:
    """Have CuPy and ChainerX take memory from one pool, as they do here without it."""
