"""TODO Compiled shortcuts of functions that cut arrays into pieces. / Compiled shortcuts of functions that join arrays. / Compiled shortcuts of functions that return views, of arrays of any type. / Values added to the rows that an array of integers names."""
cimport numpy as np

np.import_array()

include "_splits.pxi"
include "_shortcuts.pxi"
include "_views.pxi"
include "_places.pxi"
