//! What is known about programs, as tables.

pub(crate) mod options;
