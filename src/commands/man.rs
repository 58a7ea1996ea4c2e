//! `learn man`: the manual pages, from the same definitions as the help.

use std::io::Write;

use clap::CommandFactory;

use super::{Exit, Failure, lookup};
use crate::cli::Cli;

/// Prints the page of `learn`, or of one of its commands.
pub fn run(command: Option<&str>, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut learn = Cli::command();
    learn.build();
    let page = match command {
        None => learn,
        Some(name) => learn.find_subcommand(name).cloned().ok_or_else(|| {
            let names: Vec<&str> = learn.get_subcommands().map(|command| command.get_name()).collect();
            Failure::Usage(lookup::unknown("command", name, &names))
        })?,
    };
    let title = page.get_display_name().unwrap_or(page.get_name()).to_string();
    clap_mangen::Man::new(page).title(title).render(out)?;
    Ok(Exit::AsClaimed)
}
