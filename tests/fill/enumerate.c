// A plain enumeration of expressions, which `tests/fill/compare` compares with `myriad fill`: kept rows by size up to 2^20, roots
// forward over pairs of kept rows on two threads, `+ - ^` backward by a lookup. The expressions, sizes and order are those of docs/fill.md.
//
//   cc -O3 -march=native -pthread enumerate.c && ./a.out SECONDS < task
//
// A task: the numbers of inputs, of leaves and of operations, and whether the result is a bool; the names of the operations; for each
// leaf its name and its values; the results.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIMIT = 1 << 20, SLOTS = 1 << 22, INPUTS = 64, SIZES = 64, THREADS = 2 };

// Name, types of operands and result (0 int, 1 bool), number of operands, whether it commutes, value.
#define OPERATIONS(X)                                                                                                 \
    X(0, "~", 0, 0, 1, 0, ~b) X(1, "neg", 0, 0, 1, 0, 0u - b) X(2, "+", 0, 0, 2, 1, a + b) X(3, "-", 0, 0, 2, 0, a - b) \
    X(4, "*", 0, 0, 2, 1, a *b) X(5, "/", 0, 0, 2, 0, b + 1 < 2 ? 0u - (b != 0) * a : (uint32_t)((int32_t)a / (int32_t)b)) \
    X(6, "%", 0, 0, 2, 0, b + 1 < 2 ? 0 : (uint32_t)((int32_t)a % (int32_t)b)) X(7, "&", 0, 0, 2, 1, a &b)             \
    X(8, "|", 0, 0, 2, 1, a | b) X(9, "^", 0, 0, 2, 1, a ^ b) X(10, "<<", 0, 0, 2, 0, a << (b & 31))                   \
    X(11, ">>", 0, 0, 2, 0, (uint32_t)((int32_t)a >> (b & 31))) X(12, "int", 1, 0, 1, 0, b)                            \
    X(13, "==", 0, 1, 2, 1, a == b) X(14, "!=", 0, 1, 2, 1, a != b) X(15, "<", 0, 1, 2, 0, (int32_t)a < (int32_t)b)     \
    X(16, "<=", 0, 1, 2, 0, (int32_t)a <= (int32_t)b) X(17, "!", 1, 1, 1, 0, !b) X(18, "b==", 1, 1, 2, 1, a == b)        \
    X(19, "b!=", 1, 1, 2, 1, a != b) X(20, "&&", 1, 1, 2, 1, a &b) X(21, "||", 1, 1, 2, 1, a | b)

struct operation { const char *name; int from, to, operands, commutes; };
#define ROW(n, name, from, to, operands, commutes, value) {name, from, to, operands, commutes},
static const struct operation operations[] = {OPERATIONS(ROW)};

static int inputs, leaves, used, wanted_type, first_input;
static int use[32];
static uint32_t *column[INPUTS], wanted[INPUTS], slots[SLOTS];
static struct { int operation, left, right; } node[LIMIT + 1];
static char names[64][32];
// For each size and type, its first row; types of one size follow each other.
static int begin[SIZES][2], end[SIZES][2], count, largest;
static uint64_t tried, hash_of[LIMIT + 1];
static double last;

static inline uint32_t value(int operation, uint32_t a, uint32_t b) {
    switch (operation) {
#define CASE(n, name, from, to, operands, commutes, value) case n: return (value);
        OPERATIONS(CASE)
    }
    return 0;
}

static uint64_t mix(uint64_t hash, uint32_t word) { return (hash ^ word) * 0x9e3779b97f4a7c15u ^ hash >> 29; }

static int find(uint64_t hash) {
    uint32_t at = hash >> 40;
    for (at &= SLOTS - 1; slots[at]; at = (at + 1) & (SLOTS - 1))
        if (hash_of[slots[at] - 1] == hash) break;
    return at;
}

static void show(int row) {
    if (node[row].operation < 0) { printf("%s", names[node[row].left]); return; }
    struct operation own = operations[node[row].operation];
    printf("%s", own.operands == 1 ? own.name : "");
    printf("(");
    if (own.operands == 2) { show(node[row].left); printf(" %s ", own.name); }
    show(node[row].right);
    printf(")");
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

// Makes a row, keeps it if it is new, and returns 1 if it is the result. A row that divides by 0 is left out.
static int make(int operation, int left, int right, int type) {
    uint32_t row[INPUTS];
    uint64_t hash = 1 + type;
    tried++;
    for (int i = 0; i < inputs; i++) {
        uint32_t b = column[i][right];
        if ((operation == 5 || operation == 6) && b == 0) return 0;
        hash = mix(hash, row[i] = value(operation, column[i][left], b));
    }
    int at = find(hash);
    if (slots[at]) return 0;
    if (count == LIMIT) return -1;
    for (int i = 0; i < inputs; i++) column[i][count] = row[i];
    node[count].operation = operation, node[count].left = left, node[count].right = right;
    hash_of[count] = hash;
    slots[at] = ++count;
    return type == wanted_type && !memcmp(row, wanted, 4 * inputs);
}

// Makes the rows of a size: 1 if the result is among them, -1 if they are too many.
static int grow(int size) {
    int found = 0;
    for (int type = 0; type < 2; type++) {
        begin[size][type] = count;
        for (int u = 0; u < used && found >= 0; u++) {
            struct operation own = operations[use[u]];
            if (own.to != type) continue;
            for (int left = own.operands == 2; left <= (own.operands == 2 ? size - 2 : 0); left++) {
                int right = size - 1 - left;
                if (own.commutes && left > right) break;
                int from = left ? begin[left][own.from] : 0, to = left ? end[left][own.from] : 1;
                for (int l = from; l < to; l++)
                    for (int r = own.commutes && left == right ? l : begin[right][own.from]; r < end[right][own.from]; r++) {
                        int made = make(use[u], l, r, type);
                        if (made > 0) { show(count - 1); return 1; }
                        if (made < 0) return -1;
                    }
            }
        }
        end[size][type] = count;
    }
    return found;
}

struct work { int operation, left_size, right_size, part, found, left, right; uint64_t tried; };

// Tries all pairs of an operation whose operands have these sizes: this thread's part of the left ones.
static void *roots(void *argument) {
    struct work *work = argument;
    int op = work->operation, from = operations[op].from;
    int lo = begin[work->right_size][from], hi = end[work->right_size][from];
    const uint32_t *first = column[first_input], target = wanted[first_input];
    for (int l = begin[work->left_size][from] + work->part; l < end[work->left_size][from] && !work->found && now() < last; l += THREADS) {
        if (op == 2 || op == 3 || op == 9) {
            uint64_t hash = 1;
            for (int i = 0; i < inputs; i++) {
                uint32_t a = column[i][l], r = wanted[i];
                hash = mix(hash, op == 2 ? r - a : op == 3 ? a - r : r ^ a);
            }
            int at = find(hash);
            work->tried++;
            if (slots[at]) work->left = l, work->right = slots[at] - 1, work->found = 1;
            continue;
        }
        uint32_t a = first[l];
        work->tried += hi - lo;
        switch (op) {
#define LOOP(n, name, from, to, operands, commutes, value)                                                             \
    case n:                                                                                                            \
        for (int r = lo; r < hi; r++) {                                                                                \
            uint32_t b = first[r];                                                                                     \
            if ((value) != target) continue;                                                                           \
            int i = 0;                                                                                                 \
            for (; i < inputs; i++) {                                                                                  \
                uint32_t a = column[i][l], b = column[i][r];                                                           \
                (void)a;                                                                                                \
                if ((n == 5 || n == 6) && b == 0) break;                                                               \
                if ((value) != wanted[i]) break;                                                                       \
            }                                                                                                          \
            if (i == inputs) { work->left = l, work->right = r, work->found = 1; break; }                               \
        }                                                                                                              \
        break;
            OPERATIONS(LOOP)
        }
    }
    return 0;
}

int main(int words, char **word) {
    if (scanf("%d %d %d %d", &inputs, &leaves, &used, &wanted_type) != 4) return 2;
    for (int u = 0; u < used; u++) {
        char name[32];
        if (scanf("%31s", name) != 1) return 2;
        for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
            if (!strcmp(name, operations[o].name)) use[u] = o;
    }
    for (int i = 0; i < inputs; i++) column[i] = malloc(4 * LIMIT);
    int found = 0;
    begin[1][0] = 0;
    for (int leaf = 0; leaf < leaves; leaf++) {
        uint64_t hash = 1;
        if (scanf("%31s", names[leaf]) != 1) return 2;
        for (int i = 0; i < inputs; i++) {
            int32_t word;
            if (scanf("%d", &word) != 1) return 2;
            hash = mix(hash, column[i][count] = word);
        }
        node[count].operation = -1, node[count].left = leaf;
        hash_of[count] = hash;
        slots[find(hash)] = count + 1;
        count++;
    }
    end[1][0] = begin[1][1] = end[1][1] = count;
    for (int i = 0; i < inputs; i++) {
        int32_t word;
        if (scanf("%d", &word) != 1) return 2;
        wanted[i] = word;
        // The input with the least common value is compared first.
        uint32_t own = wanted[i] ^ wanted[i] >> 1, best = wanted[first_input] ^ wanted[first_input] >> 1;
        if (__builtin_popcount(own) > __builtin_popcount(best)) first_input = i;
    }
    double started = now(), rate = 0;
    last = started + (words > 1 ? atof(word[1]) : 1e9);
    int size = 2;
    while ((found = grow(size)) == 0 && size + 1 < SIZES) size++;
    if (found < 0) {
        // A size that is not whole is forgotten.
        for (int row = begin[size][0]; row < count; row++) hash_of[row] = 0;
        count = begin[size][0];
        begin[size][1] = end[size][0] = end[size][1] = count;
        memset(slots, 0, sizeof slots);
        for (int row = 0; row < count; row++) slots[find(hash_of[row])] = row + 1;
        largest = size - 1;
        double kept = now();
        uint64_t made = tried;
        for (found = 0; !found && size <= 2 * largest + 1 && now() < last; size++)
            for (int u = 0; u < used && !found; u++) {
                struct operation own = operations[use[u]];
                if (own.to != wanted_type || own.operands == 1) continue;
                for (int left = 1; left <= size - 2 && !found; left++) {
                    int right = size - 1 - left;
                    if (left > largest || right > largest || (own.commutes && left > right)) continue;
                    pthread_t thread[THREADS];
                    struct work work[THREADS];
                    for (int t = 0; t < THREADS; t++) {
                        work[t] = (struct work){use[u], left, right, t, 0, 0, 0, 0};
                        pthread_create(&thread[t], 0, roots, &work[t]);
                    }
                    for (int t = 0; t < THREADS; t++) {
                        pthread_join(thread[t], 0);
                        tried += work[t].tried;
                        if (!work[t].found) continue;
                        found = 1;
                        node[LIMIT].operation = use[u], node[LIMIT].left = work[t].left, node[LIMIT].right = work[t].right;
                    }
                }
            }
        size--;
        if (found) show(LIMIT);
        rate = (tried - made) / (now() - kept);
    }
    // Whether it found one, its size, roots a second, and seconds.
    printf("\n%d %d %.0f %.4f\n", found > 0, size, rate, now() - started);
}
