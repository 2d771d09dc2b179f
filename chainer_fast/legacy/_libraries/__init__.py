"""Older interfaces of SciPy, scikit-learn, Pillow, matplotlib, PyYAML and h5py."""
