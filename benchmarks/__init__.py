"""asv suites: the workloads of the side-by-side comparison, through the history."""
import os
import sys

# The modules find each other by the names that they have for scripts in this folder.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
