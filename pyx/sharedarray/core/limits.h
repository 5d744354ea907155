int sa_memory_limit(uint64_t *avail, char which[64]);
