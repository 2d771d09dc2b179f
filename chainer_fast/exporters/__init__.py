"""Exporters of models to the formats of other frameworks."""
