"""Support for programs that use a GPU on machines without one."""
