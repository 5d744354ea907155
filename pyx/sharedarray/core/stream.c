/* Large memory set to a repeated pattern by stores that pass the caches by. */
#include "core.h"

#include <string.h>

#define LINE 64 /* bytes of a cache line */

#if defined(__SSE2__)
#include <emmintrin.h>

/* Ordinary stores read each line before they write it; these do not (MOVNTDQ: Intel SDM, volume 1,
   section 10.4.6.2). `line` repeats the pattern; p is a multiple of LINE. */
static void stream_lines(char *p, size_t lines, const char *line) {
    __m128i v[LINE / 16];
    memcpy(v, line, LINE);
    for (; lines; lines--, p += LINE)
        for (int i = 0; i < LINE / 16; i++) _mm_stream_si128((__m128i *)p + i, v[i]);
    _mm_sfence(); /* streaming stores are ordered with nothing else */
}
#else
static void stream_lines(char *p, size_t lines, const char *line) {
    for (; lines; lines--, p += LINE) memcpy(p, line, LINE);
}
#endif

/* Fills n bytes at p with a pattern whose length divides LINE; p may have any address. */
void sa_stream_fill(char *p, size_t n, const char *pattern, size_t length) {
    char lines[2 * LINE];
    for (size_t i = 0; i < sizeof lines; i += length) memcpy(lines + i, pattern, length);
    size_t head = -(uintptr_t)p & (LINE - 1);
    if (head > n) head = n;
    memcpy(p, lines, head);
    const char *line = lines + head % length; /* where the pattern stands after the head */
    size_t whole = (n - head) / LINE;
    stream_lines(p + head, whole, line);
    memcpy(p + head + whole * LINE, line, n - head - whole * LINE);
}
