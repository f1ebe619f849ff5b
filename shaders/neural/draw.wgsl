// draw: chooses the next word of each live candidate.
//
// Candidate 0 takes the allowed word with the greatest logit; the others draw from the nucleus. Allowed words
// are gathered in order of id first. A word is in the nucleus if the total probability of the words before
// it, in order of falling probability and then id, is below top-p. Each thread sums these for its own words,
// which needs no sorting. A nucleus of 1 contains all words. A word whose continuations are refuted in part
// loses this part of its probability (docs/neural.md, "Feedback").
//
// One workgroup handles one candidate. Workgroup memory holds the allowed words, their scores and weights,
// the choice, and the state of the walk. Workgroup barriers separate loading the state, gathering, choosing,
// and storing it.

#import layout/neural
#import shared/hash
#import shared/scan
#import neural/live
#import neural/reduce
#import neural/walk

@group(0) @binding(0) var<uniform> batch_params: BatchParams;
@group(0) @binding(2) var<storage, read> logits: array<f32>;
@group(0) @binding(3) var<storage, read> lexicon: array<u32>;
@group(0) @binding(4) var<storage, read_write> states: array<u32>;
@group(0) @binding(5) var<storage, read_write> words: array<u32>;
// For each row, a bit for each target word.
@group(0) @binding(6) var<storage, read_write> permits: array<atomic<u32>>;
// The tree of refuted prefixes: for each node the number of its edges, and for each edge its word, the part of
// its probability that is left, and the place of its node (0 for none).
@group(0) @binding(7) var<storage, read> refuted: array<u32>;
// For each candidate and position, the probability of the word at the given temperature.
@group(0) @binding(8) var<storage, read_write> shares: array<f32>;

// For each allowed word, in order of id: its number, its logit, and its unnormalized probability at the given
// temperature.
var<workgroup> ids: array<u32, TARGETS>;
var<workgroup> scores: array<f32, TARGETS>;
var<workgroup> weights: array<f32, TARGETS>;
var<workgroup> chosen: atomic<u32>;

// Returns the sum of the values of all earlier threads, added in the order of threads.
fn sum_before(v: f32) -> f32 {
    reduced[lane] = v;
    workgroupBarrier();
    for (var d = 1u; d < 64u; d *= 2u) {
        var other = 0.0;
        if lane >= d { other = reduced[lane - d]; }
        workgroupBarrier();
        reduced[lane] += other;
        workgroupBarrier();
    }
    var before = 0.0;
    if lane > 0u { before = reduced[lane - 1u]; }
    workgroupBarrier();
    return before;
}

// Gathers the allowed words and returns their number.
fn gather(row: u32) -> u32 {
    var count = 0u;
    for (var tile = 0u; tile < TARGETS; tile += 64u) {
        let word = tile + lane;
        var may = false;
        if word < TARGETS { may = allowed(word); }
        let one = select(0u, 1u, may);
        let place = count + scan_sum(one) - one;
        if may {
            ids[place] = word;
            scores[place] = logits[row * batch_params.logits + word];
        }
        count += scan_total;
    }
    workgroupBarrier();
    return count;
}

// Returns the place of the edge for a word after a node of the tree, or `NONE`.
fn edge_of(node: u32, word: u32) -> u32 {
    if node == NONE { return NONE; }
    let count = refuted[node];
    for (var e = 0u; e < count; e++) {
        let edge = node + 1u + 3u * e;
        if refuted[edge] == word { return edge; }
    }
    return NONE;
}

// Chooses the word with the greatest score, the first one among equals.
fn greediest(count: u32, greatest: f32) {
    for (var i = lane; i < count; i += 64u) {
        if scores[i] == greatest { atomicMin(&chosen, i); }
    }
}

// Draws a word from the nucleus.
fn sample(count: u32, u: f32) {
    let nucleus = bitcast<f32>(batch_params.nucleus);
    var sum = 0.0;
    for (var i = lane; i < count; i += 64u) { sum += weights[i]; }
    let enough = sum_of(lane, sum) * nucleus;
    // Each thread handles the same number of consecutive words, so sums over threads are sums in order of id.
    let share = (count + 63u) / 64u;
    let first = lane * share;
    let end = min(first + share, count);
    // One bit for each of this thread's words that is in the nucleus. A thread has at most seven words.
    var inside = 0u;
    var own = 0.0;
    var last = 0u;
    for (var i = first; i < end; i++) {
        let w = weights[i];
        var before = 0.0;
        if nucleus < 1.0 {
            for (var k = 0u; k < count; k++) {
                let other = weights[k];
                if other > w || (other == w && k < i) { before += other; }
            }
        }
        if w > 0.0 && before < enough {
            inside |= 1u << (i - first);
            own += w;
            last = i + 1u;
        }
    }
    var cumulated = sum_before(own);
    let total = sum_of(lane, own);
    let goal = u * total;
    for (var i = first; i < end; i++) {
        if ((inside >> (i - first)) & 1u) == 0u { continue; }
        cumulated += weights[i];
        if cumulated > goal { atomicMin(&chosen, i); break; }
    }
    // Through rounding, no word may reach the goal; then choose the last word of the nucleus. If all words are
    // refuted, none is chosen.
    let fallback = u32(greatest_of(lane, f32(last)));
    if lane == 0u && atomicLoad(&chosen) == NONE { atomicStore(&chosen, fallback - 1u); }
}

@compute @workgroup_size(64)
fn draw(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let candidate = live_at(group.x);
    lexicon_of = function_of(candidate);
    let at = position();
    let base = candidate * WALK_WORDS;
    for (var i = lane; i < WALK_WORDS; i += 64u) { walk[i] = states[base + i]; }
    if lane == 0u { atomicStore(&chosen, NONE); }
    workgroupBarrier();

    let count = gather(group.x);
    var greatest = -1e30;
    for (var i = lane; i < count; i += 64u) { greatest = max(greatest, scores[i]); }
    greatest = greatest_of(lane, greatest);
    var sum = 0.0;
    for (var i = lane; i < count; i += 64u) { sum += exp(scores[i] - greatest); }
    sum = sum_of(lane, sum);

    let temperature = bitcast<f32>(batch_params.temperature);
    let node = walk[WALK_NODE];
    var all = 0.0;
    var left = 0.0;
    for (var i = lane; i < count; i += 64u) {
        var w = exp((scores[i] - greatest) / temperature);
        all += w;
        let edge = edge_of(node, ids[i]);
        if edge != NONE { w *= bitcast<f32>(refuted[edge + 1u]); }
        weights[i] = w;
        left += w;
    }
    // The barriers of sum_of also make all weights visible.
    all = sum_of(lane, all);
    left = sum_of(lane, left);

    let number = batch_params.first + candidate % batch_params.each;
    if uniform_from(number) == 0u {
        if left > 0.0 { greediest(count, greatest); }
    } else {
        let u = f32(mix(mix(mix(batch_params.seed) + number) + at) >> 8u) / 16777216.0;
        sample(count, u);
    }
    workgroupBarrier();

    if lane == 0u {
        let place = atomicLoad(&chosen);
        if place >= count {
            walk[WALK_PHASE] = PHASE_BROKEN;
        } else {
            shares[candidate * TARGET_MAX + at] = exp((scores[place] - greatest) / temperature) / all;
            let edge = edge_of(node, ids[place]);
            walk[WALK_NODE] = NONE;
            if edge != NONE && refuted[edge + 2u] != 0u { walk[WALK_NODE] = refuted[edge + 2u]; }
            words[candidate * TARGET_MAX + at] = ids[place];
            walk[WALK_LENGTH] = at + 1u;
            let log_p = scores[place] - greatest - log(sum);
            walk[WALK_LOG_P] = bitcast<u32>(bitcast<f32>(walk[WALK_LOG_P]) + log_p);
            take(ids[place]);
            if walk[WALK_PHASE] == PHASE_WRITING && at + 1u == TARGET_MAX { walk[WALK_PHASE] = PHASE_BROKEN; }
        }
    }
    workgroupBarrier();
    for (var i = lane; i < WALK_WORDS; i += 64u) { states[base + i] = walk[i]; }
}

// Writes the words that each live candidate may write next, which tests compare with those of the CPU twin.
@compute @workgroup_size(64)
fn permit(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let candidate = live_at(group.x);
    lexicon_of = function_of(candidate);
    let base = candidate * WALK_WORDS;
    for (var i = lane; i < WALK_WORDS; i += 64u) { walk[i] = states[base + i]; }
    workgroupBarrier();
    for (var word = lane; word < TARGETS; word += 64u) {
        if allowed(word) { atomicOr(&permits[group.x * PERMIT_WORDS + word / 32u], 1u << (word & 31u)); }
    }
}
