def check_mean_or_no(reduce):
    """Raises ValueError unless a loss knows the way to reduce."""
    if reduce not in ('mean', 'no'):
        raise ValueError(
            "only 'mean' and 'no' are valid for 'reduce', but '%s' is given"
            % reduce)
