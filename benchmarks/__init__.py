"""asv suites: the workloads of the side-by-side comparison, through the history."""
import os
import sys

# Makes the modules importable by the names used by scripts in this folder.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
