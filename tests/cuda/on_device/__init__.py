"""Tests that run on CUDA devices, of a card or of the driver double."""
