//! A schedule's token: what is printed can be read back, and what cannot be read is named.

use pitfalls::trace::{Move, Token, Way};
use proptest::prelude::*;

fn way() -> impl Strategy<Value = Way> {
    prop_oneof![4 => Just(Way::Normal), 1 => Just(Way::TimedOut), 1 => Just(Way::Spurious), 1 => (1u8..).prop_map(Way::Pick)]
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let run = (any::<u32>(), way(), 1usize..6).prop_map(|(thread, way, times)| vec![Move { thread, way }; times]);
    prop::collection::vec(run, 1..20).prop_map(|runs| runs.concat())
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(moves in moves()) {
        let token = Token(moves);
        prop_assert_eq!(token.to_string().parse::<Token>(), Ok(token.clone()));
        let json = serde_json::to_string(&token).unwrap();
        prop_assert_eq!(serde_json::from_str::<Token>(&json).unwrap(), token);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[0-9x.:ts\\PC]{0,30}") {
        let _ = text.parse::<Token>();
    }
}

#[test]
fn runs_of_three_are_written_once() {
    let token: Token = "0.1.1.2.2.2.2.2t.2t.2t.3:1.3s".parse().unwrap();
    assert_eq!(token.to_string(), "0.1.1.2x4.2tx3.3:1.3s");
    assert_eq!(token.0.len(), 12);
}

#[test]
fn an_error_names_the_part_and_the_form_it_should_have() {
    for (text, part) in [
        ("1.2.q.1", "part 3 of the schedule, `q`"),
        ("1..2", "part 2 of the schedule, ``"),
        ("x4", "part 1 of the schedule, `x4`"),
        ("1x0", "part 1 of the schedule, `1x0`"),
        ("1x", "part 1 of the schedule, `1x`"),
        ("1.2:0", "part 2 of the schedule, `2:0`"),
        ("1.2:256", "part 2 of the schedule, `2:256`"),
        ("1.-2", "part 2 of the schedule, `-2`"),
        ("1.99999999999", "part 2 of the schedule, `99999999999`"),
        ("1.2z", "part 2 of the schedule, `2z`"),
    ] {
        let error = text.parse::<Token>().unwrap_err();
        assert!(error.starts_with(part), "{text}: {error}");
        assert!(error.contains("as in 1.2.2.1"), "{text}: {error}");
    }
}

#[test]
fn an_empty_schedule_says_how_to_write_one() {
    for text in ["", "  \n"] {
        assert!(text.parse::<Token>().unwrap_err().contains("write thread numbers joined by dots"));
    }
}

#[test]
fn a_schedule_too_long_to_hold_is_refused_before_it_is_built() {
    for text in ["1x1000001", "1x1000000.2", "1x18446744073709551615"] {
        let error = text.parse::<Token>().unwrap_err();
        assert!(error.contains("longer than 1000000 moves"), "{text}: {error}");
    }
}
