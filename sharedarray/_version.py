"""The version; the builds and the documentation read it here."""

__version__ = "0.1.0"
