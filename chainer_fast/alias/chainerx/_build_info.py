"""How this package was built."""
build_chainerx = False
