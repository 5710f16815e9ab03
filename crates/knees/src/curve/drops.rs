//! Finds lasting falls of a rising curve: the start of a regression, or the far side of a cache
//! hump.

/// A fall must reduce the squared error by this many noise variances; fewer than 1 % of noisy
/// plateaus do.
const EVIDENCE: f64 = 32.0;

/// Smallest fall that counts, as a share.
const LEAST_FALL: f64 = 0.05;

/// If the curve later rises above the level before the fall by this share, the fall was only a dip.
const RECOVERY: f64 = 0.1;

/// First index from which `z`, the logarithm of a curve, stays significantly below the level it had
/// reached; `None` if there is none. `noise` is the standard deviation of `z`. For every prefix,
/// the fit of a rising sequence (monotone regression) is compared with a rising sequence followed
/// by a lower level. O(n²).
pub(crate) fn first_fall(z: &[f64], noise: f64) -> Option<usize> {
    let variance = noise.max(0.003).powi(2);
    let rising = RisingPrefixes::new(z);
    for end in 4..=z.len() {
        let mut best = (rising.error[end] - EVIDENCE * variance, None);
        let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
        for start in (2..end).rev() {
            sum += z[start];
            squares += z[start] * z[start];
            count += 1.0;
            let level = sum / count;
            let error = rising.error[start] + (squares - sum * level).max(0.0);
            if error < best.0 && level < rising.level[start] - LEAST_FALL {
                best = (error, Some(start));
            }
        }
        if let Some(start) = best.1 {
            let top = rising.level[start] + RECOVERY;
            let recovers = z[start..].windows(2).any(|w| (w[0] + w[1]) / 2.0 > top);
            if !recovers {
                return Some(start);
            }
        }
    }
    None
}

struct RisingPrefixes {
    /// Squared error of the fit to the first `i` values.
    error: Vec<f64>,
    /// Last fitted level of the fit to the first `i` values.
    level: Vec<f64>,
}

impl RisingPrefixes {
    fn new(z: &[f64]) -> Self {
        let mut prefixes = Self { error: vec![0.0], level: vec![f64::NEG_INFINITY] };
        // Blocks: sum, count, squared error.
        let mut blocks: Vec<(f64, f64, f64)> = Vec::new();
        let mut total = 0.0;
        for &value in z {
            let mut block = (value, 1.0, 0.0);
            while let Some(&(sum, count, error)) = blocks.last() {
                let apart = sum / count - block.0 / block.1;
                if apart <= 0.0 {
                    break;
                }
                blocks.pop();
                total -= error;
                let between = apart * apart * count * block.1 / (count + block.1);
                block = (sum + block.0, count + block.1, error + block.2 + between);
            }
            total += block.2;
            blocks.push(block);
            prefixes.error.push(total);
            prefixes.level.push(block.0 / block.1);
        }
        prefixes
    }
}

#[cfg(test)]
mod tests {
    use math::{normal, seeded};

    use super::*;

    #[test]
    fn a_fall_is_found_where_it_starts() {
        let mut z: Vec<f64> = (0..20).map(|i| f64::from(i.min(10)) * 0.1).collect();
        z.extend([0.8, 0.75, 0.75]);
        assert_eq!(first_fall(&z, 0.01), Some(20));
    }

    #[test]
    fn a_dip_on_the_way_up_is_no_fall() {
        let z = [0.0, 0.5, 1.0, 1.5, 1.0, 0.9, 1.6, 2.5, 3.0, 3.5, 3.5, 3.5];
        assert_eq!(first_fall(&z, 0.01), None);
    }

    #[test]
    fn noise_alone_rarely_falls() {
        let mut rng = seeded(11, 0);
        let falls = (0..1000)
            .filter(|_| {
                let z: Vec<f64> = (0..40)
                    .map(|i| f64::from((i - 20).min(0)) * 0.3 + 0.05 * normal(&mut rng))
                    .collect();
                first_fall(&z, 0.05).is_some()
            })
            .count();
        assert!(falls < 25, "{falls} of 1000");
    }
}
