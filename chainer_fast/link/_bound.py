"""Names of a higher layer that links use; that layer sets them here."""

#: The class of chains whose layers are applied one after the other.
Sequential = None
