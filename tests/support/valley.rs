//! A recorded space whose every value is known.

use std::{fmt::Write as _, path::Path};

/// Writes a Kernel Tuner cache of 16 × 12 × 4 configurations: a valley with a wall of failures.
pub(crate) fn space(folder: &Path, name: &str, scale: f64) -> String {
    let path = folder.join(format!("{name}.json"));
    let mut cache = String::new();
    for a in 0..16_i32 {
        for b in 0..12_i32 {
            for c in 0..4_i32 {
                let off = f64::from((a - 11).pow(2)) + f64::from((b - 4).pow(2) * 2 + c);
                let time = scale * (1.0 + off / 20.0);
                let figures = if a + b > 22 {
                    r#""time": "RuntimeFailedConfig", "times": []"#.to_owned()
                } else {
                    format!(r#""time": {time}, "times": [{time}, {time}]"#)
                };
                let comma = if cache.is_empty() { "" } else { ",\n" };
                write!(
                    cache,
                    r#"{comma}"{a},{b},{c}": {{"a": {a}, "b": {b}, "c": {c}, {figures}, "compile_time": 500.0, "verification_time": 1.0, "benchmark_time": 5.0, "strategy_time": 0, "framework_time": 2.0}}"#
                )
                .expect("text");
            }
        }
    }
    let list = |n: i32| (0..n).map(|i| i.to_string()).collect::<Vec<_>>().join(", ");
    let text = format!(
        r#"{{"device_name": "made", "kernel_name": "valley", "problem_size": "1", "tune_params_keys": ["a", "b", "c"], "tune_params": {{"a": [{}], "b": [{}], "c": [{}]}}, "objective": "time", "cache": {{{cache}}}}}"#,
        list(16),
        list(12),
        list(4)
    );
    std::fs::write(&path, text).expect("written");
    path.to_string_lossy().into_owned()
}
