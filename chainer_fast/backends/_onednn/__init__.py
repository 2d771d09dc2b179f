"""oneDNN, the library behind ``config.use_ideep``: found and opened at first use.

It comes as a wheel, which puts ``libdnnl.so.3`` among the libraries of the environment.
Nothing here runs unless ``config.use_ideep`` is ``'auto'`` or ``'always'``, or somebody
asks whether the library is there.
"""
