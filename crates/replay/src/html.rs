//! The report as one page that needs nothing else: no script, no font, no image, no address.

use askama::Template;

use crate::report::Report;

/// The page could not be put together.
#[derive(Debug)]
pub struct HtmlError(askama::Error);

impl std::fmt::Display for HtmlError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the page could not be made: {}", self.0)
    }
}

impl std::error::Error for HtmlError {}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    report: &'a Report,
    policy: &'a str,
    against: Option<&'a str>,
}

/// The report as an HTML page; every text in it is escaped. `policy` and `against` name the policies
/// that were tried.
///
/// # Errors
///
/// [`HtmlError`], which a report of this crate does not bring about.
pub fn html(report: &Report, policy: &str, against: Option<&str>) -> Result<String, HtmlError> {
    let page = Page {
        report,
        policy,
        against,
    };
    page.render().map_err(HtmlError)
}
