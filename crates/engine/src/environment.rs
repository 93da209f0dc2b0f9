//! The environment of a command hook: built from a short list, never inherited, so that no
//! credential of the parent reaches a hook whatever its name is.

/// The search path of every hook.
pub const HOOK_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Name of the variable that marks a process as part of a running hook.
pub const HOOK_MARKER: &str = "HOOKWARD_HOOK";

/// Facts about the person for whom hooks run. The surface fills them in; a fact that is absent has
/// no variable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookEnvironment {
    /// `HOME`.
    pub home: Option<String>,
    /// `USER` and `LOGNAME`.
    pub user: Option<String>,
    /// `TMPDIR`; `/tmp` where absent.
    pub tmpdir: Option<String>,
    /// `TZ`.
    pub tz: Option<String>,
}

impl HookEnvironment {
    /// Every variable of the hook's environment, complete.
    pub fn variables(&self) -> Vec<(String, String)> {
        let fixed = [
            ("PATH", Some(HOOK_PATH)),
            ("HOME", self.home.as_deref()),
            ("USER", self.user.as_deref()),
            ("LOGNAME", self.user.as_deref()),
            ("TMPDIR", Some(self.tmpdir.as_deref().unwrap_or("/tmp"))),
            ("LANG", Some("C.UTF-8")),
            ("LC_ALL", Some("C.UTF-8")),
            ("TZ", self.tz.as_deref()),
            (HOOK_MARKER, Some("1")),
        ];
        fixed
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect()
    }
}
