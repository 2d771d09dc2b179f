"""Single functions, forward and backward."""
