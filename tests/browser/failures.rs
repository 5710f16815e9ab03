//! Pages of studies without anything to draw, or with data that the script cannot read.

use crate::{browser::Browser, pages};

#[test]
fn a_study_whose_trials_all_failed_has_its_page() {
    let page = pages::of_failures();
    let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
    let trials = "document.querySelector('[data-chart=trials]')";
    let legend = browser.text(&format!("{trials}.querySelector('.plot').ariaLabel"));
    assert!(legend.contains("search"), "{legend}");
    browser.ask(&format!("{trials}.querySelector('.plot').focus()"));
    browser.key("Home");
    let told = browser.text(&format!("{trials}.querySelector('[aria-live]').textContent"));
    assert!(told.contains("does not know the device"), "{told}");
    assert!(browser.ask("document.querySelector('button.theme') !== null") == true);
    browser.picture("failures-1280");
    browser.is_calm();
}

#[test]
fn a_chart_that_fails_leaves_its_picture() {
    let page = pages::of_broken_trials();
    let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
    let picture = "document.querySelector('[data-chart=trials] > figure > svg') !== null";
    assert!(browser.ask(picture) == true);
    assert!(browser.ask("document.querySelector('[data-chart=curves] .plot') !== null") == true);
    assert!(browser.ask("document.querySelector('button.theme') !== null") == true);
    assert!(!browser.errors.is_empty(), "the fault is told on the console");
}
