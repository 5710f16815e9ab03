//! What there is to see: the list of studies, and the files of each result.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::{
    addresses::{RESULTS, TREND, TRENDS},
    files::{Opened, opened},
    list_page,
    request::{Request, encoded},
    response::Response,
    trend_page,
};
use crate::{exporters::escape, history::History};

/// Page of a study, of repeats or of a suite.
const PAGES: [&str; 2] = ["report.html", "suite.html"];

/// The list is as new as this.
const AGE: Duration = Duration::from_secs(1);

/// The pages over a folder of results.
#[derive(Debug)]
pub(super) struct Site {
    root: PathBuf,
    /// The studies, and when they were looked up. Its index is read and never written.
    known: Mutex<Option<(Instant, History)>>,
}

impl Site {
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root, known: Mutex::new(None) }
    }

    /// Answers a request.
    pub(super) fn answer(&self, request: &Request) -> Response {
        match request.path.split_first() {
            None => self.with(|history| list_page::page(history, request)),
            Some((first, [])) if first == TRENDS => self.with(trend_page::list),
            Some((first, [])) if first == TREND => {
                self.with(|history| trend_page::page(history, request))
            }
            Some((first, parts)) if first == RESULTS => self.result(parts, request.is_folder),
            Some(_) => Response::sentence(404, "there is no such page"),
        }
    }

    /// A file or folder of a result; nothing else of the folder of results is shown.
    fn result(&self, parts: &[String], is_folder: bool) -> Response {
        let missing = || Response::sentence(404, "there is no such result");
        let path = parts.join("/");
        let mut known = false;
        let unknown = self.with(|history| {
            let within = |entry: &crate::history::Entry| {
                let behind = path.strip_prefix(&entry.result);
                behind.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let results = history.entries.iter().filter(|entry| !entry.result.is_empty());
            known = results.into_iter().any(within);
            missing()
        });
        if !known {
            return unknown;
        }
        match opened(&self.root, parts) {
            None => missing(),
            Some(Opened::File(file, length)) => {
                Response::file(parts.last().map_or("", String::as_str), file, length)
            }
            Some(Opened::Folder(..)) if !is_folder => {
                let parts: Vec<String> = parts.iter().map(|part| encoded(part)).collect();
                Response::elsewhere(&format!("/{RESULTS}/{}/", parts.join("/")))
            }
            Some(Opened::Folder(folders, files)) => folder(&path, &folders, &files),
        }
    }

    /// Does something with the studies as they are now.
    fn with(&self, work: impl FnOnce(&History) -> Response) -> Response {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = known.take().filter(|(then, _)| then.elapsed() < AGE);
        let fresh = match fresh {
            Some(fresh) => fresh,
            None => match History::of(&self.root) {
                Ok(history) => (Instant::now(), history),
                Err(why) => return Response::sentence(503, &why.to_string()),
            },
        };
        let response = work(&fresh.1);
        *known = Some(fresh);
        response
    }
}

/// A folder of a result: its page, if it has one, and its files.
fn folder(path: &str, folders: &[String], files: &[String]) -> Response {
    let item = |name: &String, end: &str| {
        format!("<li><a href=\"{}{end}\">{}{end}</a></li>\n", encoded(name), escape(name))
    };
    let mut body = format!("<p><a href=\"/\">all studies</a></p>\n<h1>{}</h1>\n", escape(path));
    for page in files.iter().filter(|file| PAGES.contains(&file.as_str())) {
        body += &format!("<p><a href=\"{0}\"><b>{0}</b></a></p>\n", escape(page));
    }
    body += "<ul>\n";
    body.extend(folders.iter().map(|name| item(name, "/")));
    body.extend(files.iter().map(|name| item(name, "")));
    body += "</ul>\n";
    Response::page(path, &body)
}
