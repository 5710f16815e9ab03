//! Paths of pages: of results, of the list of trends, and of each trend.

use super::request::encoded;

/// First part of the paths of results.
pub(super) const RESULTS: &str = "results";

/// Path of the list of trends.
pub(super) const TRENDS: &str = "trends";

/// Path of the page of one trend.
pub(super) const TREND: &str = "trend";

/// Where the files of a folder of results are; the folder of all results has no page of its own.
pub(super) fn of_result(folder: &str) -> Option<String> {
    let parts: Vec<String> = folder.split('/').map(encoded).collect();
    (!folder.is_empty()).then(|| format!("/{RESULTS}/{}/", parts.join("/")))
}

/// The page of a trend, over all sizes or at one, as it stands in HTML.
pub(super) fn of_trend(subject: &str, device: &str, size: Option<u64>) -> String {
    let size = size.map(|size| format!("&amp;size={size}")).unwrap_or_default();
    format!("/{TREND}?subject={}&amp;device={}{size}", encoded(subject), encoded(device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_encoded_part_by_part() {
        assert_eq!(of_result("suite 1/a&b").as_deref(), Some("/results/suite%201/a%26b/"));
        assert_eq!(of_result(""), None);
        let trend = of_trend("gemm by a, b", "\"x\"", Some(4096));
        assert_eq!(trend, "/trend?subject=gemm%20by%20a%2C%20b&amp;device=%22x%22&amp;size=4096");
    }

    #[test]
    fn a_trend_without_a_size_is_over_all_of_them() {
        assert_eq!(of_trend("fma", "H100", None), "/trend?subject=fma&amp;device=H100");
    }
}
