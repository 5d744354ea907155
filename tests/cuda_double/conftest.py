"""Fixtures of the double's own tests."""

from .inside import doubles  # noqa: F401
