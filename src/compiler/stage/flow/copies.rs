//! Equal variables, as a partition: for each variable, the least one that is known to have the same value.
//!
//! A partition is the greatest fact that both of two paths agree on, so there is one solution. (Chains of copies
//! would depend on the order in which they are followed.)

/// Removes a variable, whose value changes, from its class.
pub fn leave(same: &mut [u32], variable: usize) {
    let own = variable as u32;
    let heir = (variable + 1..same.len()).find(|v| same[*v] == own);
    if let Some(heir) = heir {
        same[heir..].iter_mut().filter(|least| **least == own).for_each(|least| *least = heir as u32);
    }
    same[variable] = own;
}

/// Adds a variable, which is alone in its class, to the class of another.
pub fn join(same: &mut [u32], variable: usize, other: usize) {
    let (own, least) = (variable as u32, same[other]);
    match own < least {
        true => same.iter_mut().filter(|of| **of == least).for_each(|of| *of = own),
        false => same[variable] = least,
    }
}

/// Keeps what holds on both of two paths that meet: variables are equal if they are equal on both.
pub fn meet(same: &mut [u32], other: &[u32]) {
    let old = same.to_vec();
    for v in 0..old.len() {
        let equal = |w: &usize| old[*w] == old[v] && other[*w] == other[v];
        same[v] = (0..v).find(equal).unwrap_or(v) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_survives_its_least_member() {
        let mut same = vec![0, 1, 2, 3];
        join(&mut same, 1, 0);
        join(&mut same, 3, 1);
        assert_eq!(same, [0, 0, 2, 0]);
        leave(&mut same, 0);
        assert_eq!(same, [0, 1, 2, 1]);
        join(&mut same, 0, 3);
        assert_eq!(same, [0, 0, 2, 0]);
    }

    #[test]
    fn meeting_partitions_keeps_the_pairs_of_both() {
        let mut same = vec![0, 0, 0, 3, 3];
        meet(&mut same, &[0, 1, 1, 3, 3]);
        assert_eq!(same, [0, 1, 1, 3, 3]);
    }
}
