//! The terminal that a command writes to: its width, whether it is coloured, and progress on stderr.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::Colour;

/// Width where there is no terminal to ask.
const DEFAULT_WIDTH: usize = 80;

/// The width to print in: `COLUMNS`, else the terminal's, else 80; never below 40 or above 120.
pub fn width() -> usize {
    let named = std::env::var("COLUMNS").ok();
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    width_from(named.as_deref(), terminal)
}

fn width_from(named: Option<&str>, terminal: impl FnOnce() -> Option<usize>) -> usize {
    let named = named.and_then(|text| text.trim().parse::<usize>().ok()).filter(|width| *width > 0);
    named.or_else(terminal).unwrap_or(DEFAULT_WIDTH).clamp(40, 120)
}

/// Whether to colour: `auto` leaves it to `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE` and whether stdout is a terminal.
pub fn set_colour(colour: Colour) {
    match colour {
        Colour::Auto => colored::control::unset_override(),
        Colour::Always => colored::control::set_override(true),
        Colour::Never => colored::control::set_override(false),
    }
}

/// What is being done, on one line of stderr, if that is a terminal; the line goes when this is dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// Starts to show that something is being done.
    pub fn start() -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        Progress(bar)
    }

    /// Says what is being done now.
    pub fn say(&self, text: &str) {
        self.0.set_message(text.to_string());
    }

    /// Takes the line away while something is printed.
    pub fn print<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_before_the_terminal_and_both_are_kept_in_bounds() {
        assert_eq!(width_from(Some("60"), || Some(100)), 60);
        assert_eq!(width_from(Some("wide"), || Some(100)), 100);
        assert_eq!(width_from(Some("0"), || None), 80);
        assert_eq!(width_from(Some("7"), || None), 40);
        assert_eq!(width_from(None, || Some(500)), 120);
    }
}
