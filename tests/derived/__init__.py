"""Classes that programs derive from those of the package."""
