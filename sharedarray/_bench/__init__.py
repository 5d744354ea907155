"""The benchmarks behind ``python -m sharedarray bench`` and ``benchmarks/``."""
