"""SciPy, scikit-learn, Pillow, matplotlib, PyYAML and h5py of earlier years."""
