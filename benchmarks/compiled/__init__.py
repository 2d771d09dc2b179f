"""Training steps beside those of compilers."""
