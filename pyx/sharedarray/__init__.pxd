# Makes this folder the package that the compiled modules cimport each other from.
