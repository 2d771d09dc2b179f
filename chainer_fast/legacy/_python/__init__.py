"""Names, modules and idioms of earlier Pythons."""
