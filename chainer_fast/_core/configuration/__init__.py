"""Configuration and hooks of a thread; read ``state`` first."""
