/* Functions by name: cuGetProcAddress, counts of calls, and calls that are to fail. */
#include <stdlib.h>
#include <string.h>

#include "double.h"

#define FUNCTION(name, suffix, version) EXPORT void name##suffix(void);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#include "functions.h"
#pragma GCC diagnostic pop
#undef FUNCTION

static const struct {
    const char *name, *symbol;
    int version;
    void (*function)(void);
} functions[CALLS] = {
#define FUNCTION(name, suffix, version) {#name, #name #suffix, version, name##suffix},
#include "functions.h"
#undef FUNCTION
};

unsigned long long counts[CALLS]; /* by the first version of a name */

#define RULES 64

static struct rule {
    int call;
    unsigned long long from, to; /* numbers of the calls, the first is 1 */
    CUresult code;
} rules[RULES];
static size_t rule_count;
static bool environment_read;

int first_version(int call)
{
    while (call > 0 && !strcmp(functions[call - 1].name, functions[call].name))
        call--;
    return call;
}

int call_of(const char *name, size_t length)
{
    for (int i = 0; i < CALLS; i++)
        if ((strlen(functions[i].name) == length && !memcmp(functions[i].name, name, length)) ||
            (strlen(functions[i].symbol) == length && !memcmp(functions[i].symbol, name, length)))
            return first_version(i);
    return -1;
}

/* "cuMemCreate:3=2,cuMemMap:*=1,cuMemRelease:2+=999"; the whole text is taken or nothing. */
bool set_failures(const char *text)
{
    struct rule read[RULES];
    size_t count = 0;
    while (text && *text) {
        size_t length = strcspn(text, ":,=");
        char *end;
        struct rule rule = {.call = call_of(text, length)};
        if (rule.call < 0 || text[length] != ':' || count == RULES)
            return false;
        text += length + 1;
        if (*text == '*') {
            rule.from = 1, rule.to = ~0ull;
            text++;
        } else {
            rule.from = rule.to = strtoull(text, &end, 10);
            if (end == text || !rule.from)
                return false;
            if (*end == '+') {
                rule.to = ~0ull;
                end++;
            }
            text = end;
        }
        if (*text++ != '=')
            return false;
        rule.code = (CUresult)strtol(text, &end, 10);
        if (end == text || (*end && *end != ','))
            return false;
        text = *end ? end + 1 : end;
        read[count++] = rule;
    }
    memcpy(rules, read, sizeof rules);
    rule_count = count;
    environment_read = true;
    return true;
}

CUresult call_count(enum call call)
{
    if (!environment_read && !set_failures(getenv("CUDA_DOUBLE_FAIL")))
        return NOT_INITIALIZED; /* a test that would plant nothing must not pass */
    int first = first_version((int)call);
    unsigned long long number = ++counts[first];
    for (size_t i = 0; i < rule_count; i++)
        if (rules[i].call == first && rules[i].from <= number && number <= rules[i].to)
            return rules[i].code;
    return SUCCESS;
}

enum { FOUND, SYMBOL_NOT_FOUND, VERSION_NOT_SUFFICIENT };
enum { FLAG_PER_THREAD = 2 };

CUresult function_named(const char *name, void **function, int version, uint64_t flags,
                        int *status)
{
    int best = -1, state = SYMBOL_NOT_FOUND;
    if (!name || !function || flags > FLAG_PER_THREAD)
        return INVALID_VALUE;
    if (flags == FLAG_PER_THREAD)
        return NOT_SUPPORTED; /* the double has no functions that take stream 0 for 2 */
    for (int i = 0; i < CALLS; i++) {
        if (strcmp(functions[i].name, name))
            continue;
        if (functions[i].version <= version)
            best = i;
        else if (best < 0)
            state = VERSION_NOT_SUFFICIENT;
    }
    if (status)
        *status = best < 0 ? state : FOUND;
    *function = NULL;
    if (best < 0)
        return NOT_FOUND;
    memcpy(function, &functions[best].function, sizeof *function);
    return SUCCESS;
}
