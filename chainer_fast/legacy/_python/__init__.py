"""Names, modules and idioms of earlier Python versions."""
