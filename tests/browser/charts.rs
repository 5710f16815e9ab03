//! Charts: values under the pointer and by keys, zoom, choices, filters, and saved pictures.

use serde_json::json;

use crate::{browser::Browser, pages};

const CURVES: &str = "document.querySelector('[data-chart=curves]')";
const TRIALS: &str = "document.querySelector('[data-chart=trials]')";
const FRONT: &str = "document.querySelector('[data-chart=front]')";

/// The pixels of a chart.
fn pixels(browser: &mut Browser, chart: &str) -> String {
    browser.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
    browser.text(&format!("{chart}.querySelector('.plot canvas').toDataURL()"))
}

/// Chooses an option, with the events that a click would cause.
fn choose(browser: &mut Browser, chart: &str, label: &str, value: &str) {
    browser.ask(&format!(
        "(() => {{ const l = [...{chart}.querySelectorAll('label.choice')]\
         .find(l => l.textContent.startsWith({label:?})); const s = l.querySelector('select'); \
         s.value = {value:?}; if (s.value !== {value:?}) throw new Error('no such option'); \
         s.dispatchEvent(new Event('change')); }})()"
    ));
}

fn press(browser: &mut Browser, chart: &str, text: &str) {
    browser.click(&format!(
        "[...{chart}.querySelectorAll('button')].find(b => b.textContent === {text:?})"
    ));
}

#[test]
fn values_show_under_the_pointer_and_the_keys_and_are_told() {
    let page = pages::of_a_study();
    let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
    let tip = format!("{CURVES}.querySelector('.tip')");
    assert!(browser.ask(&format!("{tip}.hidden")) == true);
    let (x, y, width, height) = browser.place(&format!("{CURVES}.querySelector('.plot')"));
    // Some position on a grid of points shows a value.
    let mut found = String::new();
    'all: for column in 1..60 {
        for row in 1..20 {
            let at = (x + width * f64::from(column) / 60.0, y + height * f64::from(row) / 20.0);
            browser.mouse("mouseMoved", at, &json!({}));
            if browser.ask(&format!("{tip}.hidden")) == false {
                found = browser.text(&format!("{tip}.textContent"));
                break 'all;
            }
        }
    }
    assert!(found.contains("size ") && found.contains("95\u{a0}% interval"), "{found:?}");

    browser.ask(&format!("{CURVES}.querySelector('.plot').focus()"));
    let live = format!("{CURVES}.querySelector('[aria-live]').textContent");
    browser.key("Home");
    let first = browser.text(&live);
    assert!(first.contains("size 4096"), "{first}");
    browser.key("End");
    let last = browser.text(&live);
    assert!(last.contains("16\u{202f}777\u{202f}216"), "{last}");
    browser.key("ArrowLeft");
    assert_ne!(browser.text(&live), last);
    let kept = browser.ask(&format!(
        "['ctrlKey', 'altKey', 'metaKey'].every(held => {CURVES}.querySelector('.plot')\
         .dispatchEvent(new KeyboardEvent('keydown', {{key: '0', [held]: true, cancelable: true}})))"
    ));
    assert!(kept == true, "the browser's own keys are taken");
    browser.key("Escape");
    assert!(browser.ask(&format!("{tip}.hidden")) == true);
    browser.is_calm();
}

#[test]
fn points_are_found_where_they_lie_after_a_resize() {
    let page = pages::of_a_study();
    let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
    let plot = format!("{CURVES}.querySelector('.plot')");
    let tip = format!("{CURVES}.querySelector('.tip')");
    let right_end = |browser: &mut Browser| {
        browser.ask(&format!("{plot}.focus()"));
        browser.key("End");
        browser.number(&format!("parseFloat({tip}.style.left) + {tip}.offsetWidth"))
    };
    let wide = right_end(&mut browser);
    browser.width(700);
    browser.until(&format!("{tip}.hidden && {CURVES}.querySelector('canvas').clientWidth < 700"));
    let narrow = right_end(&mut browser);
    assert!(narrow < 700.0 && wide > 900.0, "{wide} pixels, then {narrow}");
    choose(&mut browser, CURVES, "Values", "log");
    assert!(browser.ask(&format!("{tip}.hidden")) == true, "a choice lets go of the point");
    browser.is_calm();
}

#[test]
fn drag_wheel_keys_and_buttons_zoom_and_double_click_shows_the_whole() {
    let page = pages::of_a_study();
    let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
    let (x, y, width, height) = browser.place(&format!("{CURVES}.querySelector('.plot')"));
    let middle = (x + width / 2.0, y + height / 2.0);
    let away = (x + width / 2.0, y - 20.0);
    browser.mouse("mouseMoved", away, &json!({}));
    let whole = pixels(&mut browser, CURVES);
    let turn = json!({"deltaX": 0, "deltaY": -240});
    browser.mouse("mouseWheel", middle, &turn);
    browser.mouse("mouseMoved", away, &json!({}));
    assert_eq!(pixels(&mut browser, CURVES), whole, "the wheel scrolls until a chart is chosen");

    let (x, y, width, height) = browser.place(&format!("{CURVES}.querySelector('.plot')"));
    let at = |across: f64, down: f64| (x + width * across, y + height * down);
    browser.ask(&format!("{CURVES}.querySelector('.plot').focus({{focusVisible: false}})"));
    let whole = pixels(&mut browser, CURVES);
    let differs = |browser: &mut Browser, how: &str| {
        browser.mouse("mouseMoved", away, &json!({}));
        assert_ne!(pixels(browser, CURVES), whole, "{how} does not zoom");
        browser.key("0");
        assert_eq!(pixels(browser, CURVES), whole, "0 does not show the whole after {how}");
    };
    browser.mouse("mouseWheel", at(0.5, 0.5), &turn);
    differs(&mut browser, "the wheel");
    let left = json!({"button": "left", "buttons": 1, "clickCount": 1});
    browser.mouse("mousePressed", at(0.3, 0.3), &left);
    browser.mouse("mouseMoved", at(0.5, 0.5), &left);
    browser.mouse("mouseMoved", at(0.6, 0.6), &left);
    browser.mouse("mouseReleased", at(0.6, 0.6), &left);
    differs(&mut browser, "a drag");
    browser.key("+");
    differs(&mut browser, "+");
    browser.key("+");
    for count in [1, 2] {
        let left = json!({"button": "left", "clickCount": count});
        browser.mouse("mousePressed", at(0.5, 0.95), &left);
        browser.mouse("mouseReleased", at(0.5, 0.95), &left);
    }
    browser.mouse("mouseMoved", away, &json!({}));
    assert_eq!(pixels(&mut browser, CURVES), whole, "a double click does not show the whole");
    press(&mut browser, CURVES, "+");
    browser.mouse("mouseMoved", away, &json!({}));
    assert_ne!(pixels(&mut browser, CURVES), whole, "the button does not zoom");
    browser.is_calm();
}

#[test]
fn scales_metrics_and_series_are_chosen() {
    let page = pages::of_a_study();
    let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
    let mut seen = vec![pixels(&mut browser, CURVES)];
    for (label, value) in [("Sizes", "linear"), ("Values", "log"), ("As", "best")] {
        choose(&mut browser, CURVES, label, value);
        let now = pixels(&mut browser, CURVES);
        assert!(!seen.contains(&now), "{label} changes nothing");
        seen.push(now);
    }
    choose(&mut browser, CURVES, "Metric", "seconds|s");
    browser.ask(&format!("{CURVES}.querySelector('details.values').open = true"));
    browser.until(&format!("{CURVES}.querySelector('.values table')"));
    let head = browser.text(&format!("{CURVES}.querySelector('.values thead').textContent"));
    assert!(head.contains("run time"), "{head}");
    let before = pixels(&mut browser, CURVES);
    browser.click(&format!("{CURVES}.querySelectorAll('.series button')[1]"));
    let pressed = format!("{CURVES}.querySelectorAll('.series button')[1].ariaPressed");
    assert_eq!(browser.text(&pressed), "false");
    assert_ne!(pixels(&mut browser, CURVES), before, "a hidden series is drawn");
    for value in ["values", "best", "values"] {
        choose(&mut browser, CURVES, "As", value);
    }
    let bars = browser.number(&format!("{CURVES}.querySelectorAll('.table-tools').length"));
    assert!((bars - 1.0).abs() < 0.5, "{bars} bars over one table");
    browser.is_calm();
}

/// Values of the first curve, in the open table of a chart.
fn first_curve(browser: &mut Browser) -> Vec<f64> {
    let values = browser.ask(&format!(
        "(() => {{ const rows = [...{CURVES}.querySelectorAll('.values tbody tr')]; \
         return rows.filter(r => r.cells[0].textContent === rows[0].cells[0].textContent)\
         .map(r => Number(r.cells[2].dataset.value)); }})()"
    ));
    values.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect()
}

#[test]
fn a_share_of_the_best_is_at_most_the_whole_whichever_way_is_better() {
    let page = pages::of_a_study();
    let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
    browser.ask(&format!("{CURVES}.querySelector('details.values').open = true"));
    browser.until(&format!("{CURVES}.querySelector('.values table')"));
    choose(&mut browser, CURVES, "As", "best");
    let rates = first_curve(&mut browser);
    choose(&mut browser, CURVES, "Metric", "seconds|s");
    let times = first_curve(&mut browser);
    for shares in [&rates, &times] {
        assert_eq!(shares.len(), 5);
        assert!(shares.iter().all(|share| *share > 0.0 && *share < 1.0 + 1e-9), "{shares:?}");
        assert!(shares.iter().any(|share| (share - 1.0).abs() < 1e-9), "{shares:?}");
    }
    // Large sizes have the highest rates and the longest times.
    assert!(rates[4] > 0.9 && times[4] < 0.1, "{rates:?}, {times:?}");
    browser.is_calm();
}

#[test]
fn curves_are_shares_of_the_ceiling_that_each_size_has() {
    let page = pages::of_a_study_under_ceilings();
    let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
    browser.ask(&format!("{CURVES}.querySelector('details.values').open = true"));
    browser.until(&format!("{CURVES}.querySelector('.values table')"));
    let legend = format!("{CURVES}.querySelector('.series').textContent");
    assert!(browser.text(&legend).contains("ceiling"));
    let rates = first_curve(&mut browser);
    choose(&mut browser, CURVES, "As", "ceiling");
    let shares = first_curve(&mut browser);
    assert!(!browser.text(&legend).contains("ceiling"));
    assert_eq!((rates.len(), shares.len()), (5, 5));
    for (rate, share) in rates.iter().zip(&shares) {
        let wanted = rate * 1e9 / pages::CEILING;
        assert!((share / wanted - 1.0).abs() < 1e-6, "{share}, {wanted} were expected");
    }
    choose(&mut browser, CURVES, "Metric", "seconds|s");
    let way = format!(
        "[...{CURVES}.querySelectorAll('label.choice')].find(l => l.textContent.startsWith('As'))\
         .querySelector('select')"
    );
    assert_eq!(browser.text(&format!("{way}.value")), "values", "times have no ceiling");
    browser.is_calm();
}

#[test]
fn trials_are_filtered_and_seen_over_one_parameter() {
    let page = pages::of_a_study();
    let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
    let rows = format!("{TRIALS}.querySelectorAll('.values tbody tr').length");
    browser.ask(&format!("{TRIALS}.querySelector('details.values').open = true"));
    browser.until(&format!("{TRIALS}.querySelector('.values table')"));
    choose(&mut browser, TRIALS, "Size", "");
    assert!((browser.number(&rows) - 60.0).abs() < 0.5, "all trials of five sizes");
    browser.ask(&format!("{TRIALS}.querySelector('details.filters').open = true"));
    let box_of = |text: &str| {
        format!(
            "[...{TRIALS}.querySelectorAll('.filters label')].find(l => l.textContent === {text:?})\
             .querySelector('input')"
        )
    };
    browser.click(&box_of("measured"));
    let failed = browser.number(&rows);
    assert!(failed > 0.0 && failed < 30.0, "{failed} trials failed");
    browser.click(&box_of("measured"));
    browser.click(&box_of("256"));
    let without = browser.number(&rows);
    assert!((without - 45.0).abs() < 0.5, "15 of 60 have 256 threads, and {without} are left");
    let before = pixels(&mut browser, TRIALS);
    choose(&mut browser, TRIALS, "Over", "vector_width");
    choose(&mut browser, TRIALS, "Colour by", "block_size_x");
    assert_ne!(pixels(&mut browser, TRIALS), before);
    let legend = browser.text(&format!("{TRIALS}.querySelector('.series').textContent"));
    assert!(legend.contains("best and quartiles"), "{legend}");
    assert!(
        legend.contains("block_size_x 128") && !legend.contains("block_size_x 256"),
        "{legend}"
    );
    browser.ask(&format!("{TRIALS}.querySelector('.plot').focus()"));
    browser.key("Home");
    let told = browser.text(&format!("{TRIALS}.querySelector('[aria-live]').textContent"));
    assert!(told.contains("evaluation") && told.contains("vector_width=1"), "{told}");
    browser.is_calm();
}

#[test]
fn the_front_is_that_of_the_table_and_within_the_bounds() {
    let page = pages::of_a_front();
    let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
    browser.ask(&format!("{FRONT}.querySelector('details.values').open = true"));
    browser.until(&format!("{FRONT}.querySelector('.values table')"));
    let values = browser.ask(&format!(
        "[...{FRONT}.querySelectorAll('.values tbody tr')].map(r => [3, 4].map(c => \
         Number(r.cells[c].dataset.value)))"
    ));
    let members = values.as_array().expect("rows");
    assert!(!members.is_empty());
    let at = |row: &serde_json::Value, cell: usize| row[cell].as_f64().expect("a number");
    for pair in members.windows(2) {
        assert!(at(&pair[0], 1) < at(&pair[1], 1) && at(&pair[0], 0) > at(&pair[1], 0), "{values}");
    }
    let told = browser.ask(
        "(() => { const t = [...document.querySelectorAll('h2')].find(h => \
         h.textContent.startsWith('Front at size')).parentElement.querySelectorAll('table'); \
         return [...[...t].find(t => t.rows[0].textContent.startsWith('run time')).rows].slice(1)\
         .map(r => [0, 1].map(c => Number(r.cells[c].dataset.value))); })()",
    );
    let told = told.as_array().expect("rows");
    assert_eq!((members.len(), told.len()), (2, 2), "{values}");
    for (drawn, told) in members.iter().rev().zip(told) {
        for cell in [0, 1] {
            let (drawn, told) = (at(drawn, cell), at(told, cell));
            assert!((drawn / told - 1.0).abs() < 1e-6, "{drawn} is drawn, {told} is told");
        }
    }
    let legend = format!("{FRONT}.querySelector('.series').textContent");
    assert!(browser.text(&legend).contains("outside the bounds"));
    choose(&mut browser, FRONT, "Size", "");
    assert!(browser.text(&legend).contains("front of what is shown"));
    let fastest = browser.number(&format!(
        "Math.min(...[...{FRONT}.querySelectorAll('.values tbody tr')].map(r => \
         Number(r.cells[3].dataset.value)))"
    ));
    assert!(fastest > 1e-8, "{fastest} s is outside the bounds");
    choose(&mut browser, FRONT, "Across", "throughput");
    choose(&mut browser, FRONT, "Upwards", "error");
    assert!(
        browser.text(&format!("{FRONT}.querySelector('.series').textContent")).contains("front")
    );
    browser.picture("front-1280");
    browser.is_calm();
}

#[test]
fn pictures_are_saved_as_svg_and_png() {
    let page = pages::of_a_study();
    let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
    browser.ask(
        "window.saved = []; URL.createObjectURL = blob => { window.saved.push(blob); return 'blob:x'; }; \
         HTMLAnchorElement.prototype.click = function () { window.names ??= []; window.names.push(this.download); }; 0",
    );
    for chart in [CURVES, TRIALS] {
        press(&mut browser, chart, "Save SVG");
        press(&mut browser, chart, "Save PNG");
    }
    browser.until("window.saved.length === 4");
    // The browser itself checks that the SVG is complete and the PNG is a picture.
    let svg = browser.text(
        "Promise.all([0, 2].map(n => window.saved.find((b, i) => b.type === 'image/svg+xml' && \
         window.saved.slice(0, i).filter(o => o.type === b.type).length === n / 2).text()))\
         .then(all => all.map(text => { const d = new DOMParser().parseFromString(text, 'image/svg+xml'); \
         return (d.querySelector('parsererror') ? 'broken ' : 'whole ') + text.includes('#ffffff') + \
         /class=|href=/.test(text); }).join(','))",
    );
    assert_eq!(svg, "whole truefalse,whole truefalse");
    let width = browser.number(
        "createImageBitmap(window.saved.find(b => b.type === 'image/png')).then(i => i.width)",
    );
    assert!((width - 2460.0).abs() < 0.5, "{width}");
    let names = browser.text("window.names.join(' ')");
    assert!(names.contains(".svg") && names.contains(".png"), "{names}");
    browser.is_calm();
}

#[test]
fn trade_offs_are_logarithmic_and_an_error_of_zero_has_its_own_place() {
    let page = pages::of_exact_trials();
    let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
    let scales = browser.text(&format!(
        "[...{FRONT}.querySelectorAll('select')].filter(s => s.options[0].value === 'log')\
         .map(s => s.value).join()"
    ));
    assert_eq!(scales, "log,log");
    browser.ask("dispatchEvent(new Event('beforeprint')); 0");
    let ticks = format!("[...{FRONT}.querySelectorAll('.printed text')].map(t => t.textContent)");
    let place = |text: &str| {
        format!(
            "[...{FRONT}.querySelectorAll('.printed text')].find(t => {text}).getAttribute('x')"
        )
    };
    assert!(browser.ask(&format!("{ticks}.filter(t => t === 'exact').length === 1")) == true);
    let exact = browser.text(&place("t.textContent === 'exact'"));
    let value = browser.text(&place("t.textContent.includes('10⁻')"));
    let number = |text: &str| text.parse::<f64>().expect("a position");
    assert!(number(&exact) < number(&value) - 30.0, "{exact} and {value}");
    browser.ask("dispatchEvent(new Event('afterprint')); 0");
    browser.picture("exact-1280");
    browser.is_calm();
}
