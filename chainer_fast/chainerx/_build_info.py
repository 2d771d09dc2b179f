"""Build options of this package."""
build_chainerx = True
