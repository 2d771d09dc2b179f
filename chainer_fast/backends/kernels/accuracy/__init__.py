"""Compiled shortcut of the accuracy, which needs no kernel of its own."""
