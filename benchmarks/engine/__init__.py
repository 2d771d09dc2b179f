"""asv suites: the workloads of the side-by-side comparison, through the history."""
import os
import sys

# asv imports this package alone; the workloads stand beside it.
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
