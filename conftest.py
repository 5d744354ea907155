"""Loaded before the tests' own conftest files."""

pytest_plugins = ["tests.skips"]
