//! A fictitious machine with round numbers.

use std::time::Duration;

use myriad::engine::Kind;
use myriad::engine::memory::{Memory, NeuralMemory};
use myriad::host::measure::energy::Energy;
use myriad::host::measure::stat::Stat;
use myriad::learned::synthesis::evaluation::EvaluationClass;
use myriad::paper::measured::{
    Batch, Draws, Loop, Measured, MeasuredHybrid, MeasuredNeural, MeasuredSize, MeasuredSubject, Programs,
    Sweeps, Traditional,
};

fn stat(median: f64) -> Stat {
    Stat { median, spread: median / 10.0, of: 5 }
}

fn joules(milliseconds: f64) -> Energy {
    Energy::estimate(65.0, Duration::from_secs_f64(milliseconds / 1e3))
}

/// A machine without hybrid compilation.
pub fn measured() -> Measured {
    let batch = |k: u32| {
        let all = 0.5 + 0.4 * f64::from(k);
        // Memory grows less than k: 100 programs need more than a tenth of what 1,000 need.
        let memory = Memory {
            source: 700,
            tree: 90_000 + u64::from(k),
            symbols: 50_000,
            bytecode: 80_000 + 10 * u64::from(k),
            scratch: 60_000,
            execution: 40_000,
        };
        Batch { k, compile: stat(all / 4.0), all: stat(all), energy: joules(all), memory }
    };
    let draws = |k: u32| {
        let all = 30.0 + 0.87 * f64::from(k);
        let distinct = 1 + k / 20;
        let (generate, verify) = (all * 0.8, all * 0.2);
        let all = stat(generate + verify);
        Draws {
            k,
            distinct,
            generate: stat(generate),
            verify: stat(verify),
            all,
            energy: Some(joules(all.median)),
        }
    };
    // T grows by n to the power of 1.1, and parse by n.
    let size = |times: u32| {
        let n = f64::from(times);
        MeasuredSize {
            times,
            bytes: 700 * times,
            stages: [0.01, 0.02, 0.03, 0.01, 0.02, 0.01, 0.0, 0.0, 0.0].map(|time| stat(time * n)),
            whole: stat(0.11 * n.powf(1.1)),
        }
    };
    let along = |list: [f64; 4], power: f64| list.map(|x| (x, stat(x.powf(power)))).to_vec();
    let ks = [1, 10, 100, 1000];
    Measured {
        subject: MeasuredSubject {
            adapter: "CPU engine, 2 threads".into(),
            kind: Kind::Cpu,
            cores: 2.0,
            fitted: None,
            alone: true,
            hardware: false,
            bytes: 700,
            tests: 5,
            k: 1000,
            programs: 1000,
        },
        traditional: Traditional {
            stages: [0.01, 0.02, 0.03, 0.01, 0.02, 0.01, 0.5, 0.0, 0.0].map(stat),
            single: stat(0.11),
            same: 5,
            tested: stat(0.7),
            execute: 0.5,
            energy: joules(0.7),
            batches: ks.map(batch).to_vec(),
            sizes: [1, 2, 4, 8].map(size).to_vec(),
        },
        conventional: Some(Loop {
            generate: stat(0.01),
            transfer: stat(0.001),
            compile: stat(0.2),
            execute: stat(1.5),
            total: stat(1.712),
            programs: 1000,
            whole: 2000.0,
            energy: joules(2000.0),
            crosses: false,
        }),
        neural: Some(MeasuredNeural {
            function: "gcd".into(),
            class: EvaluationClass::Simple,
            words: 32,
            layers: 4,
            width: 256,
            parameters: 3_000_000,
            points: ks.map(draws).to_vec(),
            verified: vec![(3, 0.3), (9, 0.9), (27, 2.7)],
            programs: Some(programs(40.0)),
            whole: 1000.0,
            memory: Some(NeuralMemory {
                weights: 12 << 20,
                activations: 1 << 20,
                cache: 8 << 20,
                candidates: 0,
                execution: 0,
            }),
            sweeps: Sweeps {
                k: 16,
                words: along([10.0, 20.0, 40.0, 80.0], 1.0),
                layers: along([1.0, 2.0, 3.0, 4.0], 0.9),
                width: along([64.0, 128.0, 192.0, 256.0], 1.5),
                held: [128, 2],
            },
            drawn: 1000,
            valid: 990,
            passed: 420,
            correct: 400,
            p_low: 0.37,
            p_high: 0.43,
            success: vec![(1, 0.4), (10, 0.99), (100, 1.0), (1000, 1.0)],
            k99: Some(9),
            likeliest: Some((-1.0, 0.36)),
            own_loss: Some(0.05),
            reward_loss: 7.0,
            evidence: Some("proved"),
        }),
        hybrid: None,
        memory_each: Some(40_000.0),
        device_transfer: None,
        pcie_watts: 25.0,
        missing: vec![],
    }
}

/// 20 programs one after the other, each taking `each` milliseconds where the loop takes 2.
fn programs(each: f64) -> Programs {
    Programs {
        count: 20,
        done: 20,
        proved: 20,
        drawn: 80,
        each: stat(each),
        whole: 20.0 * each,
        conventional: 40.0,
        energy: joules(20.0 * each),
        memory: Some(NeuralMemory {
            weights: 12 << 20,
            activations: 1 << 20,
            cache: 1 << 20,
            candidates: 0,
            execution: 0,
        }),
    }
}

/// The same machine with hybrid compilation.
pub fn with_hybrid() -> Measured {
    let hybrid = MeasuredHybrid {
        functions: 5,
        p_simple: 0.8,
        p_success: 0.9,
        neural: 10.0,
        traditional: 0.02,
        routing: 0.001,
        all: 8.0,
        energy: joules(8.0),
        score: 0.3,
        theta: -2.0,
        programs: Some(Programs { memory: None, ..programs(9.0) }),
    };
    Measured { hybrid: Some(hybrid), ..measured() }
}
