//! `learn completions`: a completion script for a shell.

use std::io::Write;

use clap::CommandFactory;

use super::{Exit, Failure};
use crate::cli::Cli;

/// Prints the script.
pub fn run(shell: clap_complete::Shell, out: &mut dyn Write) -> Result<Exit, Failure> {
    // Into memory first: the generator panics where a write fails.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "learn", &mut script);
    out.write_all(&script)?;
    Ok(Exit::AsClaimed)
}
