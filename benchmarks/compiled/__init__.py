"""Training steps compared with those of compilers."""
