"""oneDNN, the library behind ``config.use_ideep``, which is loaded at first use.

It is installed by a wheel, which puts ``libdnnl.so.3`` among the libraries of the
environment. Nothing here runs unless ``config.use_ideep`` is ``'auto'`` or
``'always'``, or a program queries whether the library is available.
"""
