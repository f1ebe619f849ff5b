//! The tables of flow as WGSL: the record of their places, constants, and access to each.

use crate::compiler::stage::flow::tables::{self, Rooms, Space, Table};

/// Returns the shader's parameters, in the order of their fields.
pub fn params(rooms: &Rooms) -> Vec<u32> {
    let (places, end) = tables::places(rooms);
    let mut words = [rooms, &places[..], &[end]].concat();
    // A uniform record is a multiple of 16 bytes.
    words.resize(words.len().next_multiple_of(4), 0);
    words
}

/// Generates the part `layout/flow`, which uses the bindings `flow_params` and `facts` of its importer.
pub fn wgsl() -> String {
    let rooms = Space::NAMES.iter().map(|space| format!("    {space}_room: u32,\n"));
    let places = tables::tables().map(|table| format!("    {}: u32,\n", table.name));
    let params: String = rooms.chain(places).collect::<String>() + "    table_words: u32,\n";
    let counts = constants("COUNT", &Space::NAMES, 0);
    let states = constants("ENTRY", tables::ENTRIES, Space::NAMES.len());
    let head = format!("struct FlowParams {{\n{params}}}\n{counts}{states}");
    head + &tables::tables().map(access).collect::<String>()
}

fn constants(prefix: &str, names: &[&str], from: usize) -> String {
    let constant =
        |(place, name): (usize, &&str)| format!("const {prefix}_{} = {place}u;\n", name.to_ascii_uppercase());
    (from..).zip(names).map(constant).collect()
}

/// Generates the columns of a table, and functions to read and write them.
fn access(table: &Table) -> String {
    let (name, room) = (table.name, Space::NAMES[table.space as usize]);
    constants(&name.to_ascii_uppercase(), table.columns, 0)
        + &format!(
            "fn {name}_place(column: u32, row: u32) -> u32 \
             {{ return flow_params.{name} + column * flow_params.{room}_room + row; }}\n\
             fn {name}_at(column: u32, row: u32) -> u32 {{ return atomicLoad(&facts[{name}_place(column, row)]); }}\n\
             fn set_{name}(column: u32, row: u32, v: u32) {{ atomicStore(&facts[{name}_place(column, row)], v); }}\n"
        )
}
