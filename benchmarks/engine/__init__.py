"""Small graphs and models."""
