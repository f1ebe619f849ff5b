//! Merges the outputs of the shards of one call. The result equals the output of the whole call byte for byte.
//!
//! Documents are split into the texts of their entries, which are concatenated; only counts are recomputed. Lines are
//! distributed in turn and merged in turn. If a shard is missing, duplicated or incomplete, the error names it and
//! nothing is merged.

pub mod documents;
pub mod lines;
mod row;
pub mod shard;

use crate::report::shard::ShardRecord;

/// Sorts shards by index. Returns the position of each among those given.
///
/// # Errors
/// If the shards are not all the shards of one call.
fn order(records: &[(String, ShardRecord)]) -> Result<Vec<usize>, String> {
    let Some((first_name, first)) = records.first() else { return Err("there is nothing to merge".into()) };
    for (name, own) in records {
        if (own.of, own.by) != (first.of, first.by) {
            return Err(format!(
                "{name} and {first_name} are not from the same call: they are sharded differently"
            ));
        }
        if own.index == 0 || own.index > own.of {
            return Err(format!("{name} says that it is shard {} of {}", own.index, own.of));
        }
    }
    let mut order: Vec<usize> = (0..records.len()).collect();
    let index = |place: &usize| records.get(*place).map_or(0, |(_, own)| own.index);
    order.sort_by_key(index);
    for pair in order.windows(2) {
        if index(&pair[0]) == index(&pair[1]) {
            let [one, other] = [pair[0], pair[1]].map(|place| records[place].0.as_str());
            return Err(format!("{one} and {other} are both shard {} of {}", index(&pair[0]), first.of));
        }
    }
    let there = |wanted: u32| order.iter().any(|place| index(place) == wanted);
    if (records.len() as u32) < first.of
        && let Some(missing) = (1..=first.of).find(|wanted| !there(*wanted))
    {
        return Err(format!("shard {missing} of {} is missing", first.of));
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::shard::By;

    #[test]
    fn merge_requires_all_shards_of_one_call() {
        let records = |indices: &[(u32, u32)]| -> Vec<(String, ShardRecord)> {
            let one = |(n, (index, of)): (usize, &(u32, u32))| {
                (
                    format!("f{n}"),
                    ShardRecord { index: *index, of: *of, by: By::Files, lines: None, files: None },
                )
            };
            indices.iter().enumerate().map(one).collect()
        };
        assert_eq!(order(&records(&[(2, 3), (3, 3), (1, 3)])), Ok(vec![2, 0, 1]));
        for (indices, what) in [
            (&[][..], "nothing"),
            (&[(1, 2)], "shard 2 of 2 is missing"),
            (&[(1, 2), (1, 2)], "f0 and f1 are both shard 1"),
            (&[(1, 2), (2, 3)], "not from the same call"),
            (&[(3, 2)], "shard 3 of 2"),
            (&[(1, 1_000_000_000)], "shard 2 of"),
        ] {
            assert!(order(&records(indices)).expect_err(what).contains(what), "{what}");
        }
    }
}
