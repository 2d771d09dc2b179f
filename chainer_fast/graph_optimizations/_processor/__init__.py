"""Calls of static chains on the processor: plans, forward and backward."""
