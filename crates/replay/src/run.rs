//! The run: every call of the histories is put to one policy, or to two, and added up.

use jiff::Timestamp;

use crate::histories::Histories;
use crate::judge::Judge;
use crate::report::Report;
use crate::tally::Tally;

/// What of the histories is judged, and how much of it is kept to look at.
#[derive(Debug, Clone, Copy)]
pub struct ReplayOptions {
    /// Distinct examples for each rule and each kind of difference; 0 for none.
    pub examples: usize,
    /// Calls before this time are left out, and with a time given those without one, too.
    pub since: Option<Timestamp>,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        Self {
            examples: 5,
            since: None,
        }
    }
}

/// A policy to try, and perhaps another one to compare it with.
pub struct Replay<'a> {
    policy: &'a dyn Judge,
    against: Option<&'a dyn Judge>,
    options: ReplayOptions,
}

impl<'a> Replay<'a> {
    /// A run over one policy.
    pub fn new(policy: &'a dyn Judge, options: ReplayOptions) -> Self {
        Self {
            policy,
            against: None,
            options,
        }
    }

    /// The same, with the difference between `policy` (from) and `other` (to). All other numbers of
    /// the report stay those of the first policy.
    #[must_use]
    pub fn against(self, other: &'a dyn Judge) -> Self {
        Self {
            against: Some(other),
            ..self
        }
    }

    /// Judges every call. `progress` is told the bytes read so far, after each call.
    ///
    /// The report depends on the histories and the policies alone, not on time or order of arrival.
    pub fn run(&self, histories: &mut Histories, progress: &mut dyn FnMut(u64)) -> Report {
        let mut tally = Tally::new(self.options.examples);
        if self.against.is_some() {
            tally.expect_difference();
        }
        while let Some(recorded) = histories.next() {
            progress(histories.bytes_read());
            let too_old = |since| recorded.at.is_none_or(|at| at < since);
            if self.options.since.is_some_and(too_old) {
                tally.left_out();
                continue;
            }
            let outcome = self.policy.judge(&recorded);
            tally.add(&recorded, &outcome);
            if let Some(other) = self.against {
                tally.compare(&recorded, &outcome, &other.judge(&recorded));
            }
        }
        Report {
            repeated: histories.repeated(),
            files: histories.files_read(),
            audit: histories.audit(),
            skipped: histories.skipped(),
            ..tally.finish()
        }
    }
}
