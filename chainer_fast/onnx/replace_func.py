def fake_as_funcnode(alt_func, name, rename_attributes=None, experimental_warning=True):
    raise NotImplementedError
