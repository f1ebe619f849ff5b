//! The file of arrangements in the user's state folder: the name of the chosen one, the panels in front in the user's own, and
//! its borders, a line each. It is read and written on separate threads.

use std::fs;
use std::path::PathBuf;

use etcetera::BaseStrategy;

use crate::host::files;
use crate::workbench::edge::background::spawn_detached;
use crate::workbench::edge::events::Events;
use crate::workbench::event::Event;
use crate::workbench::panels::Panel;
use crate::workbench::state::{Arrangement, Arrangements, BORDERS, Kept};

/// Longer files are not read.
const LARGEST: u64 = 1 << 16;

fn place() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.state_dir().unwrap_or_else(|| folders.data_dir()).join("myriad").join("arrangements"))
}

/// Sends the arrangements that an earlier run has kept.
pub fn find(events: Events) {
    spawn_detached("arrange", move || {
        let kept =
            place().and_then(|place| files::read_text(&place, LARGEST).ok()).and_then(|text| read(&text));
        if let Some(kept) = kept {
            drop(events.send(Event::Arrangements(kept)));
        }
    });
}

pub fn keep(kept: Arrangements, events: Events) {
    spawn_detached("arrange", move || {
        let Some(place) = place() else { return };
        let written = fs::create_dir_all(files::folder(&place))
            .and_then(|()| files::write(&place, text(&kept).as_bytes()));
        if let Err(error) = written {
            drop(events.send(Event::Notice(format!("the arrangement is not kept: {error}"))));
        }
    });
}

fn text(kept: &Arrangements) -> String {
    let own = kept.own.clone().unwrap_or_default();
    let front: Vec<&str> = own.front.iter().map(|panel| panel.title()).collect();
    let border = |border: &Option<u16>| border.map_or("-".to_string(), |border| border.to_string());
    let borders: Vec<String> = own.borders.iter().map(border).collect();
    let own = if kept.own.is_some() {
        format!("{}\n{}\n", front.join(" "), borders.join(" "))
    } else {
        String::new()
    };
    format!("{}\n{own}", kept.chosen.name())
}

/// Reads the file; unknown panels, which another release may have, are left out.
fn read(text: &str) -> Option<Arrangements> {
    let mut lines = text.lines();
    let chosen = Arrangement::named(lines.next()?)?;
    let own = lines.next().map(|front| {
        let mut borders = [None; BORDERS];
        for (border, word) in borders.iter_mut().zip(lines.next().unwrap_or("").split(' ')) {
            *border = word.parse().ok().filter(|border| *border <= 1_000);
        }
        Kept { front: front.split(' ').filter_map(Panel::titled).collect(), borders }
    });
    Some(Arrangements { chosen, own })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrangements_survive_the_file() {
        let mut borders = [None; BORDERS];
        borders[3] = Some(417);
        let own = Kept { front: vec![Panel::MUTANTS, Panel::IR], borders };
        for kept in [
            Arrangements { chosen: Arrangement::Teach, own: None },
            Arrangements { chosen: Arrangement::Own, own: Some(own) },
        ] {
            assert_eq!(read(&text(&kept)), Some(kept));
        }
        let former = read("own\nMutant IR\n").and_then(|kept| kept.own).expect("an own one");
        assert_eq!(former.front, [Panel::MUTANT, Panel::IR]);
        assert_eq!(read(""), None);
        assert_eq!(read("nonsense\n"), None);
        let odd = read("test\nIR Nonsense\n5000 x 3\n").and_then(|kept| kept.own).expect("an own one");
        assert_eq!((odd.front, odd.borders[2]), (vec![Panel::IR], Some(3)));
    }
}
