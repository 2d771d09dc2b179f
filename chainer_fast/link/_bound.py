"""What links use of a module above, which sets it here."""

#: The class of chains whose layers are applied one after the other.
Sequential = None
