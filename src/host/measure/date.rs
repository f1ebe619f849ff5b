//! Days and their dates.

use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_OF_A_DAY: u64 = 86_400;

/// Returns the present day, in days since 1970.
pub fn today() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / SECONDS_OF_A_DAY)
}

/// Formats a number of days since 1970 as a date. H. Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2013).
pub fn text(days: u64) -> String {
    let shifted = days.min(u64::from(u32::MAX)) + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn days_become_dates() {
        let dates = [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_785, "2026-11-28")];
        for (days, text) in dates {
            assert_eq!(super::text(days), text);
        }
    }
}
