/* Runtime of every exported program: values, traps, limits, and the inputs of properties. Its functions are not static, so
   that compilers do not warn about unused ones. */

typedef struct {
    int32_t n;
    int32_t v[CAPACITY];
} List;

/* The domain of a property's binder. */
typedef struct {
    int32_t lo, hi;
    int list;
    uint32_t longest;        /* length of a list */
    uint32_t size;           /* number of values */
    uint32_t codes, special; /* of a sampled domain */
} Binder;

/* The result of a property whose condition its input does not meet. */
enum { DISCARDED = 2 };

typedef int32_t (*Test)(const Binder *, uint32_t);

static jmp_buf m_end;
static int m_kind;
static uint32_t m_fuel, m_turns, m_depth, m_words;

void m_trap(int kind) {
    m_kind = kind;
    longjmp(m_end, 1);
}

/* Counts a loop iteration or a call. It takes at least one step, so a run that exhausts its turns has exhausted its steps. */
void m_turn(void) {
    if (m_turns == m_fuel) m_trap(StepLimit);
    m_turns++;
}

void m_call(void) {
    m_turn();
    if (m_depth >= CALL_DEPTH) m_trap(RecursionTooDeep);
    m_depth++;
}

void m_frame(uint32_t words) {
    if (m_words + words > STACK_WORDS) m_trap(OutOfMemory);
    m_words += words;
}

void m_leave(uint32_t words) {
    m_depth--;
    m_words -= words;
}

/* Arithmetic is unsigned, so that it wraps. */
int32_t m_add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
int32_t m_sub(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }
int32_t m_mul(int32_t a, int32_t b) { return (int32_t)((uint32_t)a * (uint32_t)b); }
int32_t m_neg(int32_t a) { return (int32_t)(0u - (uint32_t)a); }
int32_t m_shl(int32_t a, int32_t b) { return (int32_t)((uint32_t)a << (b & 31)); }
int32_t m_shr(int32_t a, int32_t b) { return a < 0 ? ~(~a >> (b & 31)) : a >> (b & 31); }

int32_t m_div(int32_t a, int32_t b) {
    if (b == 0) m_trap(DivideByZero);
    return b == -1 ? m_neg(a) : a / b;
}

int32_t m_mod(int32_t a, int32_t b) {
    if (b == 0) m_trap(DivideByZero);
    return b == -1 ? 0 : a % b;
}

int32_t m_eq(int32_t a, int32_t b) { return a == b; }
int32_t m_ne(int32_t a, int32_t b) { return a != b; }
int32_t m_lt(int32_t a, int32_t b) { return a < b; }
int32_t m_le(int32_t a, int32_t b) { return a <= b; }
int32_t m_gt(int32_t a, int32_t b) { return a > b; }
int32_t m_ge(int32_t a, int32_t b) { return a >= b; }
int32_t m_abs(int32_t a) { return a < 0 ? m_neg(a) : a; }
int32_t m_min(int32_t a, int32_t b) { return a < b ? a : b; }
int32_t m_max(int32_t a, int32_t b) { return a > b ? a : b; }

/* Number of iterations over lo..hi and lo..=hi. */
uint32_t m_below(int32_t lo, int32_t hi) { return lo < hi ? (uint32_t)hi - (uint32_t)lo : 0; }

uint32_t m_upto(int32_t lo, int32_t hi) {
    uint32_t between = (uint32_t)hi - (uint32_t)lo;
    if (lo > hi) return 0;
    return between == UINT32_MAX ? between : between + 1;
}

/* Lists. */
void m_fit(const List *list, int32_t capacity) {
    if (list->n > capacity) m_trap(CapacityExceeded);
}

void m_copy(List *to, const List *from) {
    memmove(to->v, from->v, (size_t)from->n * sizeof from->v[0]);
    to->n = from->n;
}

void m_store(List *to, int32_t capacity, const List *from) {
    m_fit(from, capacity);
    m_copy(to, from);
}

void m_list(List *to, int32_t n, const int32_t *from) {
    memcpy(to->v, from, (size_t)n * sizeof from[0]);
    to->n = n;
}

void m_repeat(List *to, int32_t n, int32_t value) {
    for (int32_t i = 0; i < n; i++) to->v[i] = value;
    to->n = n;
}

/* `to` must differ from `a` and `b`. */
void m_join(List *to, const List *a, const List *b) {
    if (a->n + b->n > CAPACITY) m_trap(CapacityExceeded);
    m_copy(to, a);
    memcpy(to->v + a->n, b->v, (size_t)b->n * sizeof b->v[0]);
    to->n = a->n + b->n;
}

void m_slice(List *to, const List *from, int32_t a, int32_t b) {
    if (a < 0 || a > b || b > from->n) m_trap(IndexOutOfBounds);
    memmove(to->v, from->v + a, (size_t)(b - a) * sizeof from->v[0]);
    to->n = b - a;
}

int32_t m_at(const List *list, int32_t i) {
    if (i < 0 || i >= list->n) m_trap(IndexOutOfBounds);
    return list->v[i];
}

void m_set(List *list, int32_t i, int32_t value) {
    if (i < 0 || i >= list->n) m_trap(IndexOutOfBounds);
    list->v[i] = value;
}

int32_t m_same(const List *a, const List *b) {
    return a->n == b->n && memcmp(a->v, b->v, (size_t)a->n * sizeof a->v[0]) == 0;
}

/* Inputs of properties: each depends on its number alone, and no two are equal. Sizes above SIZE_CAP count as SIZE_CAP. */
static const uint32_t SIZE_CAP = INPUTS + 1, TUPLES = 0x80000000u, SMALL = 256;
static uint32_t m_inputs, m_count, m_tuples, m_special, m_small;
static int m_exhaustive;

/* A tuple of codes: the first binder with a special code, and a number that encodes the codes. In a small tuple all are special. */
typedef struct {
    uint32_t first, rest;
    int small;
} Tuple;

uint32_t m_least(uint32_t a, uint32_t b) { return a < b ? a : b; }
uint32_t m_times(uint32_t a, uint32_t b, uint32_t most) { return b > 1 && a > most / b ? most : m_least(a * b, most); }
uint32_t m_range(const Binder *b) { return m_below(b->lo, b->hi); }

uint32_t m_mix(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

uint32_t m_draw(uint32_t input, uint32_t binder, uint32_t element) {
    return m_mix(m_mix(m_mix(0x6d797269u + input) + binder) + element);
}

/* Maps x by a permutation of the numbers below n. */
uint32_t m_permuted(uint32_t x, uint32_t n) {
    uint32_t bits = 0;
    while (bits < 32 && n > 1 && (n - 1) >> bits > 0) bits++;
    do {
        for (uint32_t round = 0; round < 4; round++) {
            uint32_t own = round % 2 == 0 ? bits / 2 : bits - bits / 2, other = bits - own;
            uint32_t right = x & ((1u << own) - 1);
            uint32_t word = ((right + 0x6d797269u + n + 0x9e3779b9u * round) * 0x846ca68bu) >> 16;
            x = right << other | ((x >> own) ^ (word & ((1u << other) - 1)));
        }
    } while (n > 1 && x >= n);
    return x;
}

/* Takes the code of a binder from a tuple. Must be called for the binders in order. */
uint32_t m_code(const Binder *b, uint32_t binder, Tuple *tuple) {
    int less = !tuple->small && binder < tuple->first, here = tuple->small || binder == tuple->first;
    uint32_t from = less ? b->special : 0, codes = here ? b->special : b->codes - from;
    uint32_t code = from + tuple->rest % codes;
    tuple->rest /= codes;
    return code;
}

Tuple m_numbered(const Binder *b, uint32_t number) {
    uint32_t before = 1, behind = m_tuples;
    Tuple tuple = {0, number, 0};
    for (; tuple.first < m_count; tuple.first++) {
        const Binder *own = &b[tuple.first];
        uint32_t here = before * own->special * (behind /= own->codes);
        if (tuple.rest < here) break;
        tuple.rest -= here;
        before *= own->codes - own->special;
    }
    return tuple;
}

/* The number of a small tuple, or UINT32_MAX if the tuple is not small. */
uint32_t m_small_number(const Binder *b, Tuple tuple) {
    uint32_t number = 0, unit = 1;
    for (uint32_t i = 0; i < m_count; i++) {
        uint32_t code = m_code(&b[i], i, &tuple);
        if (code >= b[i].special) return UINT32_MAX;
        number += unit * code;
        unit *= b[i].special;
    }
    return number;
}

/* The tuple of an input: first the small tuples, then alternately three without a special code and one with one. */
Tuple m_tuple(const Binder *b, uint32_t input) {
    uint32_t others = m_special - m_small, plain = m_tuples - m_special, turn = input - m_small;
    uint32_t with = m_least(turn / 4, others), without = turn - with, number;
    Tuple tuple = {0, input, 1};
    if (input < m_small) return tuple;
    if (without > plain) {
        with = turn - plain;
        without = plain;
    }
    if (without < plain && (turn % 4 < 3 || with == others)) {
        return m_numbered(b, m_special + m_permuted(without, plain));
    }
    tuple = m_numbered(b, m_permuted(m_small + with, m_special));
    while ((number = m_small_number(b, tuple)) != UINT32_MAX) tuple = m_numbered(b, m_permuted(number, m_special));
    return tuple;
}

/* The code of a binder in an input. In an exhaustive domain it is the value, and the last binder changes fastest. Must be called for
   the binders in order. */
uint32_t m_digit(const Binder *b, uint32_t input, uint32_t binder) {
    static Tuple tuple;
    if (m_exhaustive) {
        for (uint32_t later = m_count - 1; later > binder; later--) input /= b[later].size;
        return input % b[binder].size;
    }
    if (binder == 0) tuple = m_tuple(b, input);
    return m_code(&b[binder], binder, &tuple);
}

/* An index below range from the group of a code: the groups of the first few codes have one index each. */
uint32_t m_pick(uint32_t code, uint32_t codes, uint32_t few, uint32_t range, uint32_t word) {
    if (codes >= range || (code < few && codes > 1)) return code;
    if (codes == 1 && (word & 7) == 0) return (word >> 3) % m_least(range, 8);
    uint32_t single = codes == 1 ? 0 : few, left = range - single, groups = codes - single, group = code - single;
    uint32_t least = left / groups, more = left % groups;
    return single + group * least + m_least(group, more) + m_mix(word + 0x9e3779b9u) % (least + (group < more));
}

/* The number at an index of a range: alternately the nearest to 0 and the farthest, with the nearer bound among the first. */
int32_t m_ordered(int32_t lo, uint32_t range, uint32_t index) {
    uint32_t last = range - 1, goal = lo >= 0 ? 0 : m_least(0u - (uint32_t)lo, last), above = last - goal;
    uint32_t both = m_least(goal, above), far = index % 2 == 0 ? index / 2 : last - index / 2;
    uint32_t bound = goal < above ? 2 * both : 2 * both > 0 ? 2 * both - 1 : 0, offset;
    if (bound > 3 && (far == 3 || far == bound)) far = 3 + bound - far;
    if (far > 2 * both) {
        offset = goal < above ? goal + (far - both) : goal - (far - both);
    } else {
        offset = far % 2 == 0 ? goal - far / 2 : goal + (far + 1) / 2;
    }
    return m_add(lo, (int32_t)offset);
}

int32_t m_int(const Binder *b, uint32_t input, uint32_t binder) {
    const Binder *own = &b[binder];
    uint32_t code = m_digit(b, input, binder), range = m_range(own);
    if (m_exhaustive) return m_add(own->lo, (int32_t)code);
    return m_ordered(own->lo, range, m_pick(code, own->codes, own->special, range, m_draw(input, binder, 0)));
}

void m_ints(List *to, const Binder *b, uint32_t input, uint32_t binder) {
    const Binder *own = &b[binder];
    uint32_t range = m_range(own), code = m_digit(b, input, binder), lengths = own->longest + 1, count = 1;
    to->n = 0;
    if (m_exhaustive) {
        for (; code >= count; to->n++) {
            code -= count;
            count *= range;
        }
        for (int32_t i = to->n; i-- > 0; code /= range) to->v[i] = m_add(own->lo, (int32_t)(code % range));
        return;
    }
    if (range > 0 && own->codes < lengths) {
        to->n = (int32_t)m_pick(code, own->codes, own->codes / 4, lengths, m_draw(input, binder, 0));
        code = 0;
    } else if (range > 0) {
        uint32_t left = own->codes, values = 1;
        for (; (uint32_t)to->n < lengths; to->n++) {
            count = m_least(2 * left / (lengths + 1 - (uint32_t)to->n), values);
            if (code < count) break;
            code -= count;
            left -= count;
            values = m_times(values, m_least(range, INPUTS), INPUTS);
        }
    }
    for (int32_t i = 0; i < to->n; i++) {
        uint32_t index;
        if (count >= range) {
            index = code % range;
            code /= range;
            count = (count - 1) / range + 1;
        } else {
            index = m_pick(code, count, m_least(8, count / 4), range, m_draw(input, binder, 1 + (uint32_t)i));
            code = 0;
            count = 1;
        }
        to->v[i] = m_ordered(own->lo, range, index);
    }
}

uint32_t m_all_codes(const Binder *b, uint32_t count, uint32_t most) {
    uint32_t all = 1;
    for (uint32_t i = 0; i < count; i++) all = m_times(all, m_least(b[i].size, most), TUPLES + 1);
    return all;
}

/* Computes the codes of the binders and the numbers of tuples. */
void m_sample(Binder *b, uint32_t count) {
    uint32_t most = INPUTS, special = 1, power, plain = 1;
    while (most > 2 && m_all_codes(b, count, most) > TUPLES) most /= 2;
    for (; special < SMALL; special++) {
        power = 1;
        for (uint32_t i = 0; i < count; i++) power = m_times(power, special + 1, SMALL + 1);
        if (power > SMALL) break;
    }
    m_tuples = m_small = 1;
    for (uint32_t i = 0; i < count; i++) {
        b[i].codes = m_least(b[i].size, most);
        if (m_times(m_tuples, b[i].codes, TUPLES + 1) > TUPLES) b[i].codes = 1;
        b[i].special = m_least(special, b[i].codes);
        m_tuples *= b[i].codes;
        m_small *= b[i].special;
        plain *= b[i].codes - b[i].special;
    }
    m_special = m_tuples - plain;
}

void m_domain(Binder *b, uint32_t count) {
    uint32_t size = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t range = m_least(m_range(&b[i]), SIZE_CAP), power = 1;
        b[i].size = b[i].list ? 1 : range;
        for (uint32_t length = 0; b[i].list && length < b[i].longest; length++) {
            power = m_times(power, range, SIZE_CAP);
            b[i].size = m_least(b[i].size + power, SIZE_CAP);
        }
        size = m_times(size, b[i].size, SIZE_CAP);
    }
    m_count = count;
    m_exhaustive = size <= MOST_TRIED;
    m_inputs = m_exhaustive ? size : SAMPLES;
    if (!m_exhaustive) m_sample(b, count);
}

/* Runs a test or property up to its first input that does not hold, and prints the outcome. Returns 0 if an input does not hold,
   1 if the entry passes, 2 if no input meets its condition. */
int m_entry(int index, int line, Test test, Binder *b, uint32_t count, uint32_t fuel) {
    static uint32_t m_input, discarded;
    discarded = 0;
    m_fuel = fuel;
    m_domain(b, count);
    for (m_input = 0; m_input < m_inputs; m_input++) {
        m_turns = m_depth = m_words = 0;
        if (setjmp(m_end) != 0) {
            printf("%d line %d trap %s\n", index, line, m_traps[m_kind]);
            return 0;
        }
        int32_t held = test(b, m_input);
        if (!held) {
            printf("%d line %d fail\n", index, line);
            return 0;
        }
        discarded += held == DISCARDED;
    }
    if (m_inputs > 0 && discarded == m_inputs) {
        printf("%d line %d discarded\n", index, line);
        return 2;
    }
    printf("%d line %d pass\n", index, line);
    return 1;
}

/* The program. */
