//! A hundred thousand trials on one page.

use std::time::Instant;

use crate::{browser::Browser, pages};

#[test]
fn a_hundred_thousand_trials_stay_small_and_smooth() {
    let page = pages::of_trials(100_000);
    let text = page.text();
    eprintln!("100,000 trials are {:.2} MB", text.len() as f64 / 1e6);
    assert!(text.len() < 5_000_000, "{} bytes", text.len());
    let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
    let began = Instant::now();
    browser.go(&page.path());
    eprintln!("shown after {:.0} ms, as the driver sees it", began.elapsed().as_secs_f64() * 1e3);
    let ready = browser.number("performance.getEntriesByType('navigation')[0].domComplete");
    eprintln!("complete after {ready:.0} ms, as the page sees it");
    let nodes = browser.number("document.querySelectorAll('*').length");
    assert!(nodes < 3000.0, "{nodes} elements");
    browser.ask("document.querySelector('[data-chart=trials] .plot').focus()");
    let frames = browser.ask(
        "new Promise(done => { const plot = document.querySelector('[data-chart=trials] .plot'); \
         const box = plot.getBoundingClientRect(); const times = []; let last = performance.now(), left = 30; \
         const step = now => { times.push(now - last); last = now; if (!left--) return done(times.slice(1)); \
         plot.dispatchEvent(new WheelEvent('wheel', {deltaY: left > 15 ? -100 : 100, cancelable: true, \
         clientX: box.x + box.width / 2, clientY: box.y + box.height / 2})); requestAnimationFrame(step); }; \
         requestAnimationFrame(step); })",
    );
    let mut frames: Vec<f64> =
        frames.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect();
    frames.sort_by(f64::total_cmp);
    assert_eq!(frames.len(), 30);
    eprintln!("frames while zooming: median {:.0} ms, longest {:.0} ms", frames[15], frames[29]);
    assert!(frames[15] < 100.0, "{frames:?}");
    let trials = "document.querySelector('[data-chart=trials]')";
    browser.ask(&format!(
        "(() => {{ const s = [...{trials}.querySelectorAll('label.choice')]\
         .find(l => l.textContent.startsWith('Colour by')).querySelector('select'); \
         s.value = 'unroll'; s.dispatchEvent(new Event('change')); }})()"
    ));
    let names = browser.text(&format!(
        "[...{trials}.querySelectorAll('.series button')].map(b => b.textContent).join()"
    ));
    let groups = names.split(',').filter(|name| name.starts_with("unroll ")).count();
    assert!(groups == 8 && names.contains("unroll others"), "{names}");
    browser.key("Home");
    let told = "document.querySelector('[data-chart=trials] [aria-live]').textContent";
    assert!(browser.text(told).contains("evaluation"));
    browser.picture("many-1280");
    browser.is_calm();
}
