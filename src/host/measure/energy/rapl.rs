//! RAPL: the energy counters of Intel and AMD processors, which Linux exposes in `/sys/class/powercap`.
//!
//! A folder `intel-rapl:N` whose `name` begins with `package` is a processor with all its cores. Its
//! `energy_uj` counts microjoules up to `max_energy_range_uj` and then wraps around. Nested domains
//! (`intel-rapl:0:1`) are parts of it, and `intel-rapl-mmio` exposes the same counter again. On most systems,
//! only the administrator can read the counters.

use std::fs;
use std::path::{Path, PathBuf};

use super::{EnergySource, Gauge, GaugeStep, Reading};

pub const FOLDER: &str = "/sys/class/powercap";

/// The counter's unit is 61 µJ on most processors and never more than 1 mJ. It is updated every millisecond
/// (Intel's Software Developer's Manual, volume 3B, on RAPL interfaces).
const STEP: GaugeStep = GaugeStep { joules: 61e-6, seconds: 1e-3 };

/// All packages of the machine together.
struct Rapl {
    packages: Vec<Package>,
    /// Microjoules since the gauge was opened.
    total: u64,
}

struct Package {
    counter: PathBuf,
    last: u64,
    range: u64,
}

impl Package {
    /// Returns the microjoules since the last reading. The result is right if the counter has wrapped around
    /// at most once.
    fn advance(&mut self) -> Result<u64, String> {
        let now = number(&self.counter)?;
        let difference =
            if now >= self.last { now - self.last } else { (self.range - self.last.min(self.range)) + now };
        self.last = now;
        Ok(difference)
    }
}

/// Opens the packages in a folder such as [`FOLDER`].
///
/// # Errors
/// If the folder has no package domain, or a counter cannot be read. The text says which.
pub fn open(folder: &Path) -> Result<Box<dyn Gauge>, String> {
    let entries = fs::read_dir(folder).map_err(|_| format!("no RAPL: there is no {}", folder.display()))?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let packages: Vec<Package> =
        folders.iter().filter(|folder| is_package(folder)).map(|f| package(f)).collect::<Result<_, _>>()?;
    if packages.is_empty() {
        return Err(format!("no RAPL: {} has no package domain", folder.display()));
    }
    Ok(Box::new(Rapl { packages, total: 0 }))
}

fn is_package(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or("");
    let top = name.strip_prefix("intel-rapl:").is_some_and(|finish_idle| !finish_idle.contains(':'));
    top && fs::read_to_string(folder.join("name")).is_ok_and(|name| name.starts_with("package"))
}

fn package(folder: &Path) -> Result<Package, String> {
    let counter = folder.join("energy_uj");
    let last = number(&counter)?;
    let range = number(&folder.join("max_energy_range_uj"))?;
    Ok(Package { counter, last, range })
}

fn number(path: &Path) -> Result<u64, String> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::PermissionDenied => {
            format!("only the administrator may read {name}; `sudo chmod a+r {name}` lets every user read it")
        }
        _ => format!("{name} cannot be read: {error}"),
    })?;
    text.trim().parse().map_err(|_| format!("{name} does not contain a number"))
}

impl Gauge for Rapl {
    fn source(&self) -> EnergySource {
        EnergySource::Rapl
    }

    fn read(&mut self) -> Result<Reading, String> {
        for package in &mut self.packages {
            self.total += package.advance()?;
        }
        let count = self.packages.len() as f64;
        let step = GaugeStep { joules: STEP.joules * count, seconds: STEP.seconds };
        Ok(Reading::Total { joules: self.total as f64 / 1e6, step })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a folder tree of domains with files.
    fn tree(domains: &[(&str, &[(&str, &str)])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (domain, files) in domains {
            let domain = folder.path().join(domain);
            fs::create_dir(&domain).unwrap();
            for (file, text) in *files {
                fs::write(domain.join(file), format!("{text}\n")).unwrap();
            }
        }
        folder
    }

    fn joules(gauge: &mut dyn Gauge) -> f64 {
        match gauge.read() {
            Ok(Reading::Total { joules, .. }) => joules,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn package_counters_add_up_across_wraparound() {
        let folder = tree(&[
            ("intel-rapl:0", &[("name", "package-0"), ("energy_uj", "900"), ("max_energy_range_uj", "1000")]),
            ("intel-rapl:1", &[("name", "package-1"), ("energy_uj", "10"), ("max_energy_range_uj", "1000")]),
            // A part of a package, the whole machine, and a second view of a package: all of these are
            // counted already.
            ("intel-rapl:0:0", &[("name", "core"), ("energy_uj", "5"), ("max_energy_range_uj", "1000")]),
            ("intel-rapl:2", &[("name", "psys"), ("energy_uj", "5"), ("max_energy_range_uj", "1000")]),
            ("intel-rapl-mmio:0", &[("name", "package-0"), ("energy_uj", "5"), ("max_energy_range_uj", "9")]),
            ("intel-rapl", &[]),
        ]);
        let mut gauge = open(folder.path()).unwrap();
        assert_eq!(gauge.source(), EnergySource::Rapl);
        assert_eq!(joules(&mut *gauge), 0.0);
        let set = |domain: &str, value: &str| {
            fs::write(folder.path().join(domain).join("energy_uj"), value).unwrap();
        };
        set("intel-rapl:0", "950");
        set("intel-rapl:1", "30");
        set("intel-rapl:0:0", "500");
        assert!((joules(&mut *gauge) - 70e-6).abs() < 1e-12);
        // The counter wraps around: 50 up to the end of its range, and 20 more.
        set("intel-rapl:0", "20");
        assert!((joules(&mut *gauge) - 140e-6).abs() < 1e-12);
    }

    #[test]
    fn unreadable_counters_are_reported_as_unavailable() {
        let why = |folder: &Path| open(folder).err().unwrap_or_default();
        let empty = tree(&[("intel-rapl:0:0", &[("name", "core")])]);
        assert!(why(empty.path()).contains("no package domain"));
        assert!(why(&empty.path().join("nothing")).contains("there is no"));
        let closed = tree(&[("intel-rapl:0", &[("name", "package-0")])]);
        assert!(why(closed.path()).contains("energy_uj"), "{}", why(closed.path()));
        let odd = tree(&[(
            "intel-rapl:0",
            &[("name", "package-0"), ("energy_uj", "x"), ("max_energy_range_uj", "1")],
        )]);
        assert!(why(odd.path()).contains("not contain a number"));
    }

    #[test]
    fn counter_that_disappears_is_an_error() {
        let folder = tree(&[(
            "intel-rapl:0",
            &[("name", "package-0"), ("energy_uj", "1"), ("max_energy_range_uj", "9")],
        )]);
        let mut gauge = open(folder.path()).unwrap();
        fs::remove_file(folder.path().join("intel-rapl:0/energy_uj")).unwrap();
        assert!(gauge.read().is_err());
    }
}
