"""Libraries that take arrays of any namespace, at work on those of this one."""
