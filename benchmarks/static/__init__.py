"""Static chains beside chains that are not, on the processor."""
