/* What every exported program needs: values, traps, limits, and the inputs of properties. Its functions are not static, so
   that no compiler complains of those that a program does not use. */

typedef struct {
    int32_t n;
    int32_t v[CAPACITY];
} List;

/* What one name of a property draws from. */
typedef struct {
    int32_t lo, hi;
    int list;
    uint32_t longest; /* of a list */
    uint32_t size;    /* how many values there are */
} Binder;

/* What a property gives of an input that does not meet its condition. */
enum { DISCARDED = 2 };

typedef int32_t (*Test)(const Binder *, uint32_t);

static jmp_buf m_end;
static int m_kind;
static uint32_t m_fuel, m_turns, m_depth, m_words;

void m_trap(int kind) {
    m_kind = kind;
    longjmp(m_end, 1);
}

/* A round of a loop or a call: at least one step, so that whoever runs out of turns has run out of steps. */
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

/* Arithmetic wraps: it is done without a sign. */
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

/* Rounds of a loop over lo..hi and lo..=hi. */
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

/* `to` is neither of the two. */
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

/* Inputs of properties: each is a function of its number alone. Sizes are reckoned up to SIZE_CAP. */
static uint32_t m_input, m_inputs, m_count;
static int m_exhaustive;

uint32_t m_capped(uint32_t size) { return size < SIZE_CAP ? size : SIZE_CAP; }
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

int32_t m_number(const Binder *b, uint32_t input, uint32_t binder, uint32_t element) {
    uint32_t h = m_draw(input, binder, element);
    if ((h & 7) == 0) {
        int32_t corners[] = {b->lo, m_sub(b->hi, 1), 0, 1, -1};
        int32_t corner = corners[(h >> 3) % 5];
        if (corner >= b->lo && corner < b->hi) return corner;
    }
    return m_add(b->lo, (int32_t)(m_mix(h + 0x9e3779b9u) % m_range(b)));
}

/* Which of its values a binder has in an input of a small domain: the last one changes fastest. */
uint32_t m_digit(const Binder *b, uint32_t input, uint32_t binder) {
    for (uint32_t later = m_count - 1; later > binder; later--) input /= b[later].size;
    return input % b[binder].size;
}

int32_t m_int(const Binder *b, uint32_t input, uint32_t binder) {
    if (m_exhaustive) return m_add(b[binder].lo, (int32_t)m_digit(b, input, binder));
    return m_number(&b[binder], input, binder, 0);
}

void m_ints(List *to, const Binder *b, uint32_t input, uint32_t binder) {
    uint32_t range = m_range(&b[binder]);
    if (m_exhaustive) {
        uint32_t digit = m_digit(b, input, binder), count = 1;
        for (to->n = 0; digit >= count; to->n++) {
            digit -= count;
            count *= range;
        }
        for (int32_t i = to->n; i-- > 0; digit /= range) to->v[i] = m_add(b[binder].lo, (int32_t)(digit % range));
    } else {
        to->n = range == 0 ? 0 : (int32_t)(m_draw(input, binder, 0) % (b[binder].longest + 1));
        for (int32_t i = 0; i < to->n; i++) to->v[i] = m_number(&b[binder], input, binder, 1 + (uint32_t)i);
    }
}

void m_domain(Binder *b, uint32_t count) {
    uint32_t size = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t range = m_capped(m_range(&b[i])), power = 1;
        b[i].size = b[i].list ? 1 : range;
        for (uint32_t length = 0; b[i].list && length < b[i].longest; length++) {
            power = m_capped(power * range);
            b[i].size = m_capped(b[i].size + power);
        }
        size = m_capped(size * b[i].size);
    }
    m_count = count;
    m_exhaustive = size <= SAMPLES;
    m_inputs = m_exhaustive ? size : SAMPLES;
}

/* Runs a test or property up to its first input that does not hold, and says how it ended: 0 where one does not, 1 where it
   passes, 2 where no input meets its condition. */
int m_entry(int index, int line, Test test, Binder *b, uint32_t count, uint32_t fuel) {
    static uint32_t discarded;
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
