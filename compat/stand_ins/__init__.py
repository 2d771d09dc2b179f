"""Small data for upstream's examples, in the formats of their scripts.

Each module is for one example, or a few that read the same data, and has a list
``RUNS`` of the calls of scripts for ``compat/examples.py``.
"""
