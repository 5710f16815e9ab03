//! Checks pages with axe-core, which `.ci/run` downloads; `AUTOBENCH_AXE` is the path of its
//! `axe.min.js`.

use std::{env, fs, path::PathBuf};

use crate::{browser::Browser, families, pages};

fn axe() -> Option<String> {
    let usual = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/axe/package/axe.min.js");
    let path = env::var_os("AUTOBENCH_AXE").map_or(usual, PathBuf::from);
    let found = fs::read_to_string(path).ok();
    if found.is_none() {
        eprintln!("skipped: no axe-core (`npm pack axe-core`, unpacked in target/axe)");
    }
    found
}

#[test]
fn no_page_has_a_serious_fault_in_light_or_dark() {
    let Some(axe) = axe() else { return };
    for (name, page) in [
        ("study", pages::of_a_study()),
        ("front", pages::of_a_front()),
        ("suite", pages::of_a_suite()),
        ("comparison", pages::of_a_comparison()),
        ("family", families::of_a_family()),
    ] {
        let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
        browser.ask(&format!("{axe}; 0"));
        browser.ask("document.querySelectorAll('details').forEach(d => d.open = true)");
        for (colours, width) in [("light", 1280), ("dark", 1280), ("light", 360)] {
            browser.width(width);
            browser.dark(colours == "dark");
            let faults = browser.text(
                "axe.run().then(r => r.violations.filter(v => ['serious', 'critical'].includes(v.impact))\
                 .map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 150) + ' ' + \
                 n.any.map(a => a.message).join()).join(' | ')).join('\\n'))",
            );
            assert_eq!(faults, "", "{name}, {colours}, {width} pixels");
        }
        browser.is_calm();
    }
}
