// Sweeps over the blocks of all routines at once: a block is executed as soon as its predecessors in the same sweep
// are. Each thread has a run of blocks. A routine begins its next sweep when all of its blocks are done.
//
// The specification is docs/stages/constants.md; the CPU twin is src/compiler/stage/flow/sweeps.rs.

#import flow/transfer

// In SWEEPS_STATE the number of a block's last sweep is above the lowest bit. That bit is set in the round in which
// the block is executed: other threads may not see yet what it has written.
// In PROGRESS_LEFT: 0 if the routine's sweeps widen, else 1 more than the sweeps that are left.
const PATIENCE: u32 = 8u;
const NARROWING: u32 = 2u;

fn begin_sweeps() {
    if lane == 0u {
        var first = 0u;
        for (var r = 0u; r < routine_count(); r++) {
            set_cells(CELLS_FIRST, r, first);
            first += spans_at(SPANS_BLOCKS, r) * spans_at(SPANS_VARIABLES, r);
        }
        atomicStore(&facts[COUNT_CELL], first);
    }
    for (var r = lane; r < routine_count(); r += WORKGROUP) {
        set_progress(PROGRESS_SWEEP, r, 1u);
        set_progress(PROGRESS_LEFT, r, 0u);
        set_progress(PROGRESS_CHANGED, r, 0u);
        set_progress(PROGRESS_DONE, r, 0u);
        set_progress(PROGRESS_BLOCKS, r, 0u);
    }
    #round r: Routines have their rows, and begin the first sweep over their blocks.
    storageBarrier();
    for (var b = lane; b < block_count(); b += WORKGROUP) {
        set_sweeps(SWEEPS_STATE, b, 0u);
        set_sweeps(SWEEPS_VALID, b, 0u);
        set_sweeps(SWEEPS_VALID_NEXT, b, 0u);
        set_drawn(0u, b, ANY_RANGE);
        set_drawn(1u, b, ANY_RANGE);
        set_sweeps(SWEEPS_BEGUN, b, begun_in(b));
        set_arrival(b, false);
        if is_reached(b) { atomicAdd(&facts[progress_place(PROGRESS_BLOCKS, blocks_at(BLOCKS_ROUTINE, b))], 1u); }
    }
    for (var at = lane; at < atomicLoad(&facts[COUNT_CELL]); at += WORKGROUP) { set_found(at, Fact(0u)); }
    #round b v: Nothing is known about any variable yet.
    storageBarrier();
}

// Returns the block that begins the loop over a range that goes on at the end of a block: that with the last
// RANGE_ITER* of its slot before. NONE if no such loop goes on there.
fn begun_in(block: u32) -> u32 {
    let last = blocks_at(BLOCKS_END, block) - 1u;
    if op_at(last) != OP_FOR_RANGE && op_at(last) != OP_NEXT_RANGE { return NONE; }
    let first = blocks_at(BLOCKS_FIRST, spans_at(SPANS_BLOCK, blocks_at(BLOCKS_ROUTINE, block)));
    for (var i = last; i > first; i--) {
        let op = op_at(i - 1u);
        if (op == OP_RANGE_ITER || op == OP_RANGE_ITER_INCLUSIVE) && ir_at(IR_ARG, i - 1u) == ir_at(IR_ARG, last) {
            return block_at(i - 1u);
        }
    }
    return NONE;
}

fn arrival_column() -> u32 { return select(ARRIVALS_CONSTANTS, ARRIVALS_RANGES, ranging); }
fn arrives(block: u32) -> bool { return arrivals_at(arrival_column(), block) != 0u; }
fn set_arrival(block: u32, arrived: bool) { set_arrivals(arrival_column(), block, select(0u, 1u, arrived)); }

// The facts found where a block begins.
fn found(at: u32) -> Fact {
    if ranging { return Fact(ranges_at(0u, at), ranges_at(1u, at), ranges_at(2u, at), ranges_at(3u, at)); }
    return Fact(constants_at(0u, at), constants_at(1u, at), constants_at(2u, at), 0u);
}
fn set_found(at: u32, value: Fact) {
    if ranging {
        set_ranges(0u, at, value.x);
        set_ranges(1u, at, value.y);
        set_ranges(2u, at, value.z);
        set_ranges(3u, at, value.w);
    } else {
        set_constants(0u, at, value.x);
        set_constants(1u, at, value.y);
        set_constants(2u, at, value.z);
    }
}

fn is_ready(block: u32, sweep: u32, mine: vec2<u32>) -> bool {
    let end = edges_end(block);
    for (var e = blocks_at(BLOCKS_EDGES, block); e < end; e++) {
        let sender = edges_at(EDGES_FROM, e);
        if sender >= block || !is_reached(sender) { continue; }
        let state = sweeps_at(SWEEPS_STATE, sender);
        if state >> 1u != sweep { return false; }
        if (sender < mine.x || sender >= mine.y) && (state & 1u) != 0u { return false; }
    }
    cost += 1u + end - blocks_at(BLOCKS_EDGES, block);
    return true;
}

fn entry_fact(variable: u32) -> Fact {
    if !ranging { return Fact(0u, 0u, variable, 0u); }
    if variable < routine_at(ROUTINES_PARAMS, owner) {
        let capacity = capacity_of(owner, variable);
        if capacity != 0u { return between(0u, capacity); }
    }
    return ANY_RANGE;
}

// Joins the facts of the entered block with those of a path. The partition of copies is joined from its end, since a
// class depends on lower variables.
fn join_path(edge: Edge, is_first: bool) {
    for (var k = count; k > 0u; k--) {
        let v = k - 1u;
        let other = edge_fact(edge, v);
        if is_first {
            set_fact(v, other);
        } else if ranging {
            set_fact(v, union_of(fact(v), other));
        } else {
            let own = fact(v);
            let agrees = own.x != 0u && other.x != 0u && own.y == other.y;
            let from_ = max(own.z, other.z);
            var least = from_;
            while least < v {
                if same(least) == own.z && edge_fact(edge, least).z == other.z { break; }
                least += 1u;
            }
            cost += least - from_;
            set_fact(v, Fact(select(0u, 1u, agrees), select(0u, own.y, agrees), least, 0u));
        }
    }
    for (var v = 0u; v < count && !ranging; v++) {
        set_others(v, 0u);
        if same(v) != v { set_others(same(v), others(same(v)) + 1u); }
    }
    cost += 2u * count;
}

// Fills the facts where the entered block begins. Returns whether control may arrive there.
fn arrive(block: u32, sweep: u32) -> bool {
    var reached = false;
    let rows = row;
    if block == spans_at(SPANS_BLOCK, owner) {
        for (var v = 0u; v < count; v++) { set_fact(v, entry_fact(v)); }
        reached = true;
    }
    var is_head = false;
    var before = NONE;
    let end = edges_end(block);
    for (var e = blocks_at(BLOCKS_EDGES, block); e < end; e++) {
        let sender = edges_at(EDGES_FROM, e);
        let second = sender == before;
        before = sender;
        let back = sender >= block;
        is_head = is_head || back;
        if !is_reached(sender) { continue; }
        let source = select(version, 1u - version, back);
        let valid = sweeps_at(SWEEPS_VALID + source, sender);
        if valid == 0u || valid != select(sweep, sweep - 1u, back) { continue; }
        let which = select(1u, 0u, !second && successor(sender, 0u) == block);
        let edge = edge_from(sender, which, source);
        if !edge.taken { continue; }
        join_path(edge, !reached);
        reached = true;
    }
    let widens = is_head && arrives(block) && progress_at(PROGRESS_LEFT, owner) == 0u;
    if widens {
        for (var v = 0u; v < count && ranging; v++) {
            let old = found(rows + v);
            var new_ = old;
            if reached { new_ = union_of(fact(v), old); }
            if any(new_ != old) {
                if sweep - 1u < PATIENCE { new_ = widened(new_, old); } else { new_ = ANY_RANGE; }
            }
            set_fact(v, new_);
        }
        reached = reached || ranging;
    }
    return reached;
}

// Executes the blocks of this thread that are ready.
fn sweep_blocks() {
    let mine = part_of(block_count());
    for (var b = mine.x; b < mine.y; b++) {
        cost += 1u;
        if cost > BUDGET { break; }
        if !is_reached(b) { continue; }
        let r = blocks_at(BLOCKS_ROUTINE, b);
        let sweep = progress_at(PROGRESS_SWEEP, r);
        if sweep == 0u || sweeps_at(SWEEPS_STATE, b) >> 1u == sweep || !is_ready(b, sweep, mine) { continue; }
        enter_block(b, sweep & 1u);
        let reached = arrive(b, sweep);
        var changed = reached != arrives(b);
        for (var v = 0u; v < count; v++) {
            let value = select(Fact(0u), fact(v), vec4<bool>(reached) & vec4<bool>(true, true, true, ranging));
            changed = changed || any(value != found(row + v));
            set_found(row + v, value);
        }
        set_arrival(b, reached);
        if reached { execute_block(b); }
        cost += count;
        set_sweeps(SWEEPS_VALID + version, b, select(0u, sweep, reached));
        if changed { set_progress(PROGRESS_CHANGED, r, 1u); }
        atomicAdd(&facts[progress_place(PROGRESS_DONE, r)], 1u);
        set_sweeps(SWEEPS_STATE, b, (sweep << 1u) | 1u);
    }
    #round b v: A block whose predecessors in this sweep are done keeps the facts on which they agree, and is done too.
    storageBarrier();
}

// Ends sweeps whose blocks are all done. Returns whether a routine is not finished.
fn end_sweeps() -> bool {
    let mine = part_of(block_count());
    for (var b = mine.x; b < mine.y; b++) { set_sweeps(SWEEPS_STATE, b, sweeps_at(SWEEPS_STATE, b) & ~1u); }
    cost += mine.y - mine.x;
    var more = false;
    for (var r = lane; r < routine_count(); r += WORKGROUP) {
        let sweep = progress_at(PROGRESS_SWEEP, r);
        if sweep == 0u { continue; }
        more = true;
        if progress_at(PROGRESS_DONE, r) != progress_at(PROGRESS_BLOCKS, r) { continue; }
        var left = progress_at(PROGRESS_LEFT, r);
        if left != 0u { left -= 1u; } else if progress_at(PROGRESS_CHANGED, r) == 0u {
            left = 1u + select(0u, NARROWING, ranging);
        }
        set_progress(PROGRESS_LEFT, r, left);
        set_progress(PROGRESS_SWEEP, r, select(sweep + 1u, 0u, left == 1u));
        set_progress(PROGRESS_CHANGED, r, 0u);
        set_progress(PROGRESS_DONE, r, 0u);
    }
    cost += routine_count() / WORKGROUP + 1u;
    #round r: A routine whose blocks are all done begins its next sweep, or is finished if nothing has changed.
    storageBarrier();
    return more;
}
