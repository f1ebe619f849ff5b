//! Statistics of repeated measurements: median and spread.

/// The median of some measurements, and half their interquartile range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stat {
    pub median: f64,
    pub spread: f64,
    pub of: u32,
}

impl Stat {
    /// Returns `None` if there are no finite values.
    pub fn of(mut values: Vec<f64>) -> Option<Stat> {
        values.retain(|value| value.is_finite());
        values.sort_by(f64::total_cmp);
        let quarter =
            |n: usize| values.get((values.len() * n / 4).min(values.len().saturating_sub(1))).copied();
        let (low, median, high) = (quarter(1)?, quarter(2)?, quarter(3)?);
        Some(Stat { median, spread: (high - low) / 2.0, of: values.len() as u32 })
    }

    /// Multiplies by a factor, for example to change the unit.
    pub fn times(self, factor: f64) -> Stat {
        Stat { median: self.median * factor, spread: self.spread * factor.abs(), of: self.of }
    }
}

/// A straight line in k: a fixed part, and a part for each k.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StatLine {
    pub fixed: f64,
    pub each: f64,
}

impl StatLine {
    pub fn at(self, k: f64) -> f64 {
        self.fixed + self.each * k
    }

    /// Fits a line to some points by relative error, so that points at small k count as much as those at
    /// large k. Neither part is negative. Returns `None` if there are no usable points.
    pub fn through(points: &[(f64, f64)]) -> Option<StatLine> {
        let usable: Vec<(f64, f64)> =
            points.iter().copied().filter(|(k, y)| k.is_finite() && y.is_finite() && *y > 0.0).collect();
        if usable.is_empty() {
            return None;
        }
        // Least squares with weights 1 / y² minimise the sum of the squares of relative errors.
        let sum = |f: &dyn Fn(f64, f64) -> f64| usable.iter().map(|&(k, y)| f(k, y) / (y * y)).sum::<f64>();
        let (n, k, kk) = (sum(&|_, _| 1.0), sum(&|k, _| k), sum(&|k, _| k * k));
        let (y, ky) = (sum(&|_, y| y), sum(&|k, y| k * y));
        let determinant = n * kk - k * k;
        let free = (determinant.abs() > 1e-9 * n * kk)
            .then(|| StatLine { fixed: (y * kk - k * ky) / determinant, each: (n * ky - k * y) / determinant });
        Some(match free {
            Some(line) if line.fixed >= 0.0 && line.each >= 0.0 => line,
            // At the boundary, use a line through the origin or a level one.
            Some(line) if line.fixed < 0.0 => StatLine { fixed: 0.0, each: ky / kk },
            Some(_) => StatLine { fixed: y / n, each: 0.0 },
            // With a single k, the fixed part is unknown.
            None if kk > 0.0 => StatLine { fixed: 0.0, each: ky / kk },
            None => StatLine { fixed: y / n, each: 0.0 },
        })
    }

    /// Returns the k at which two lines cross, if it is at least 1.
    pub fn crosses(self, other: StatLine) -> Option<f64> {
        let k = (other.fixed - self.fixed) / (self.each - other.each);
        (k.is_finite() && k >= 1.0).then_some(k)
    }
}

/// A power law: y = c · x^exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    pub exponent: f64,
    /// The standard error of the exponent.
    pub error: f64,
    /// Number of points that were fitted.
    pub of: u32,
}

impl Power {
    /// Fits by least squares on logarithms. Returns `None` for fewer than three different x, because a line
    /// through two points has no known error.
    pub fn through(points: &[(f64, f64)]) -> Option<Power> {
        let usable = points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0 && x.is_finite() && y.is_finite());
        let logs: Vec<(f64, f64)> = usable.map(|(x, y)| (x.ln(), y.ln())).collect();
        let mut different: Vec<f64> = logs.iter().map(|(x, _)| *x).collect();
        different.sort_by(f64::total_cmp);
        different.dedup();
        if different.len() < 3 {
            return None;
        }
        let n = logs.len() as f64;
        let (x, y) = logs.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
        let xx: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
        let exponent = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / xx;
        let beside: f64 = logs.iter().map(|p| (p.1 - y - exponent * (p.0 - x)).powi(2)).sum();
        Some(Power { exponent, error: (beside / (n - 2.0) / xx).sqrt(), of: logs.len() as u32 })
    }
}
