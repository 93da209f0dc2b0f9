//! Where the files of a State Root are. Path arithmetic only: nothing here touches the disk.

use camino::{Utf8Path, Utf8PathBuf};

/// The directory that holds a person's policy, trust and audit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StateRoot(Utf8PathBuf);

impl StateRoot {
    /// Names a State Root by its absolute path.
    pub fn new(path: impl Into<Utf8PathBuf>) -> Self {
        Self(path.into())
    }

    /// The directory itself.
    pub fn path(&self) -> &Utf8Path {
        &self.0
    }

    /// The person's own hooks.
    pub fn hooks_file(&self) -> Utf8PathBuf {
        self.0.join(Self::HOOKS)
    }

    /// What the person has reviewed.
    pub fn trust_file(&self) -> Utf8PathBuf {
        self.0.join(Self::TRUST)
    }

    /// Lock that every writer of policy files holds.
    pub fn lock_file(&self) -> Utf8PathBuf {
        self.0.join(Self::LOCK)
    }

    /// Records of what hooks decided.
    pub fn audit_dir(&self) -> Utf8PathBuf {
        self.0.join("audit")
    }

    /// Until when self-protection sleeps.
    pub fn nap_file(&self) -> Utf8PathBuf {
        self.0.join(Self::NAP)
    }

    pub(crate) const HOOKS: &'static str = "hooks.json";
    pub(crate) const TRUST: &'static str = "trust.json";
    pub(crate) const NAP: &'static str = "nap.json";
    pub(crate) const LOCK: &'static str = "policy.lock";
}
