"""The commands of ``python -m sharedarray``, one module each."""
