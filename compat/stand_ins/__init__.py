"""Small data for upstream's examples, in the formats that their scripts read.

Each module is of one example, or of a few that read the same data, and has a list
``RUNS`` of the calls of scripts that ``compat/examples.py`` makes.
"""
