//! The SVG is well-formed whatever the program under test is called, and says in words what it shows.

use proptest::prelude::*;

use super::shapes::any_trace;
use crate::timeline::{Timeline, samples, svg};

#[test]
fn a_picture_says_all_its_steps_in_words() {
    let text = svg::render(&Timeline::new(&samples::race(), &samples::sources()));
    let document = roxmltree::Document::parse(&text).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    let child = |name: &str| root.children().find(|node| node.has_tag_name(name)).and_then(|node| node.text());
    assert!(child("title").is_none_or(|title| title.starts_with("Thread 1 writes 1 to `balance` in step 4")));
    let words = child("desc").unwrap_or_default();
    assert!(words.contains("Step 3: thread 2 writes 1 to balance (line 11). Step 4:"), "{words}");
    assert!(words.ends_with("that change is lost."), "{words}");
}

#[test]
fn a_lost_update_drawn() {
    insta::assert_snapshot!(svg::render(&Timeline::new(&samples::race(), &samples::sources())));
}

#[test]
fn a_picture_brings_no_script_and_no_address() {
    for trace in samples::all() {
        let text = svg::render(&Timeline::new(&trace, &samples::sources()));
        assert!(!text.contains("<script") && !text.contains("href") && !text.contains("url("), "{text}");
    }
}

proptest! {
    #[test]
    fn every_picture_is_well_formed(trace in any_trace()) {
        let text = svg::render(&Timeline::new(&trace, &samples::sources()));
        let parsed = roxmltree::Document::parse(&text);
        prop_assert!(parsed.is_ok(), "{:?}\n{text}", parsed.err());
    }
}

/// Writes the samples where they can be looked at: `PICTURES=folder cargo test --lib pictures_to_look_at`.
#[test]
fn pictures_to_look_at() {
    let Ok(folder) = std::env::var("PICTURES") else { return };
    for (index, trace) in samples::all().iter().enumerate() {
        let text = svg::render(&Timeline::new(trace, &samples::sources()));
        std::fs::write(std::path::Path::new(&folder).join(format!("{index}.svg")), text).unwrap();
    }
}
