//! The address of a language model's server: a base such as `http://127.0.0.1:8080/v1`.

use ureq::http::Uri;

use super::key::{Key, OWN, SHARED};

/// Path of the protocol, which follows the base.
const PATH: &str = "/chat/completions";

/// A checked address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// As the user gave it, without a slash at its end.
    pub(super) base: String,
    /// The address that requests are sent to.
    pub(super) url: String,
    /// The host of the address.
    host: String,
    is_encrypted: bool,
}

impl Endpoint {
    /// Reads an address.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let fault = |why: &str| {
            format!("the endpoint {why}; write its base, as `http://127.0.0.1:8080/v1`")
        };
        let text = text.trim().trim_end_matches('/');
        let uri: Uri = text.parse().map_err(|_| fault("is no address"))?;
        let is_encrypted = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) | None => return Err(fault("begins with neither `http://` nor `https://`")),
        };
        // A user or password would be shown wherever the endpoint is shown.
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(fault("holds a user or a password, which records would show"));
        }
        if uri.query().is_some() {
            return Err(fault("holds a `?`"));
        }
        let host =
            uri.host().filter(|host| !host.is_empty()).ok_or_else(|| fault("has no host"))?;
        let base = text.strip_suffix(PATH).unwrap_or(text).to_owned();
        Ok(Self { url: format!("{base}{PATH}"), base, host: host.to_owned(), is_encrypted })
    }

    /// Whether the host is this machine.
    pub(super) fn is_here(&self) -> bool {
        let host = self.host.as_str();
        host == "localhost" || host == "[::1]" || host.starts_with("127.")
    }

    /// Refuses to send a shared key over an unencrypted connection to another machine.
    pub(super) fn may_have(&self, key: &Key) -> Result<(), String> {
        if self.is_encrypted || self.is_here() || key.is_ours {
            return Ok(());
        }
        Err(format!(
            "the key in {SHARED} would travel to {} unencrypted; write `https://`, or give the key of \
             that server in {OWN}",
            self.host
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_with_or_without_its_end_is_one_address() {
        for text in [
            "http://127.0.0.1:8080/v1",
            " http://127.0.0.1:8080/v1/ ",
            "http://127.0.0.1:8080/v1/chat/completions",
        ] {
            let endpoint = Endpoint::parse(text).expect(text);
            assert_eq!(endpoint.base, "http://127.0.0.1:8080/v1");
            assert_eq!(endpoint.url, "http://127.0.0.1:8080/v1/chat/completions");
            assert!(endpoint.is_here());
        }
        assert!(Endpoint::parse("http://[::1]:1").expect("an address").is_here());
        assert!(!Endpoint::parse("https://localhost.example.org").expect("an address").is_here());
    }

    #[test]
    fn what_is_no_address_or_would_show_a_secret_is_refused() {
        let refused = |text: &str| Endpoint::parse(text).expect_err(text);
        assert!(refused("").contains("no address"));
        assert!(refused("127.0.0.1:8080").contains("http://"));
        assert!(refused("ftp://host/v1").contains("neither"));
        assert!(refused("http://host/a b").contains("no address"));
        for text in ["http://user:hidden@host/v1", "https://host/v1?key=hidden"] {
            assert!(!refused(text).contains("hidden"));
        }
    }

    #[test]
    fn a_shared_key_goes_only_where_nobody_reads_it_on_the_way() {
        let key = |name: &'static str| {
            let value = move |asked: &str| (asked == name).then(|| "a-long-secret".to_owned());
            Key::found(None, value).expect("a key").expect("one")
        };
        let far = Endpoint::parse("http://gpu.example.org/v1").expect("an address");
        let refused = far.may_have(&key(SHARED)).expect_err("unencrypted");
        assert!(refused.contains("gpu.example.org") && !refused.contains("a-long-secret"));
        assert_eq!(far.may_have(&key(OWN)), Ok(()));
        for text in ["https://gpu.example.org/v1", "http://localhost:8080/v1"] {
            let endpoint = Endpoint::parse(text).expect(text);
            assert_eq!(endpoint.may_have(&key(SHARED)), Ok(()));
        }
    }
}
