"""Arrays on CUDA devices."""
