"""Programs that ask for a GPU, on machines without one."""
