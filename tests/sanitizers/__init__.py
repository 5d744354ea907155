"""The core under the compilers' sanitizers: as a program of its own, and below Python."""
