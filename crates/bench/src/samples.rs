//! Taking samples and summing them up. Never decides what is good enough.

use std::time::{Duration, Instant};

use crate::error::BenchError;

/// Most samples of a series that are written to a file.
const MAX_WRITTEN: usize = 100;

/// Sorted times of one thing, in nanoseconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Series(Vec<f64>);

impl Series {
    /// A series of samples in any order.
    pub(crate) fn new(mut nanoseconds: Vec<f64>) -> Self {
        nanoseconds.sort_by(f64::total_cmp);
        Self(nanoseconds)
    }

    /// The samples of several series as one.
    pub(crate) fn joined(parts: Vec<Self>) -> Self {
        Self::new(parts.into_iter().flat_map(|part| part.0).collect())
    }

    /// How many samples there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The median.
    pub(crate) fn p50(&self) -> f64 {
        self.percentile(50)
    }

    /// The sample below which 99 % are; of fewer than a hundred samples it is the largest.
    pub(crate) fn p99(&self) -> f64 {
        self.percentile(99)
    }

    /// The sample below which `percent` of the samples are; 0 of an empty series.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let rank = (self.0.len() * percent / 100).min(self.0.len().saturating_sub(1));
        self.0.get(rank).copied().unwrap_or_default()
    }

    /// At most 100 samples, evenly over the sorted series with both ends.
    pub(crate) fn thinned(&self) -> Vec<f64> {
        let last = self.0.len().saturating_sub(1);
        let kept = self.0.len().min(MAX_WRITTEN);
        let at = |index: usize| index * last / kept.saturating_sub(1).max(1);
        (0..kept)
            .filter_map(|index| self.0.get(at(index)).copied())
            .collect()
    }
}

/// Something that can be run once; answers with the nanoseconds it took.
pub(crate) type Probe<'a> = Box<dyn FnMut() -> Result<f64, BenchError> + 'a>;

/// Runs all probes `rounds` times in turn, so that whatever else the machine does meets all of
/// them alike. Each round starts with another one. A tenth more rounds come first and are dropped.
pub(crate) fn interleave(
    rounds: usize,
    probes: &mut [Probe<'_>],
) -> Result<Vec<Series>, BenchError> {
    let warmup = rounds / 10 + 1;
    let mut samples = vec![Vec::with_capacity(rounds); probes.len()];
    for round in 0..warmup + rounds {
        for step in 0..probes.len() {
            let turn = (round + step) % probes.len();
            if let (Some(probe), Some(samples)) = (probes.get_mut(turn), samples.get_mut(turn)) {
                let sample = probe()?;
                if round >= warmup {
                    samples.push(sample);
                }
            }
        }
    }
    Ok(samples.into_iter().map(Series::new).collect())
}

/// The nanoseconds of one call of `action`, as the mean over `calls` of them.
pub(crate) fn mean_of(calls: u32, mut action: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        action();
    }
    nanoseconds(start.elapsed()) / f64::from(calls)
}

/// A duration in nanoseconds.
pub(crate) fn nanoseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e9
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "whole numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_known_series() {
        let series = Series::new((0..1000_u32).rev().map(f64::from).collect());
        assert_eq!(
            [series.p50(), series.p99(), series.percentile(100)],
            [500.0, 990.0, 999.0]
        );
        assert_eq!(Series::new(vec![7.0]).p99(), 7.0);
        assert_eq!(Series::default().p50(), 0.0);
    }

    #[test]
    fn a_thinned_series_is_bounded_and_keeps_both_ends() {
        let series = Series::new((0..1000_u32).map(f64::from).collect());
        let thinned = series.thinned();
        assert_eq!(thinned.len(), 100);
        assert_eq!(
            (thinned.first(), thinned.last()),
            (Some(&0.0), Some(&999.0))
        );
        assert_eq!(Series::new(vec![1.0, 2.0]).thinned(), [1.0, 2.0]);
        assert!(Series::default().thinned().is_empty());
    }

    #[test]
    fn probes_take_turns_and_the_first_rounds_are_dropped() {
        let order = std::cell::RefCell::new(Vec::new());
        let probe = |name: u32| -> Probe<'_> {
            let order = &order;
            Box::new(move || {
                order.borrow_mut().push(name);
                Ok(f64::from(name))
            })
        };
        let series = interleave(3, &mut [probe(1), probe(2)]).unwrap();
        assert_eq!(order.into_inner(), [1, 2, 2, 1, 1, 2, 2, 1]);
        assert_eq!([series[0].len(), series[1].len()], [3, 3]);
        assert_eq!([series[0].p50(), series[1].p50()], [1.0, 2.0]);
    }
}
