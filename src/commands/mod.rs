//! The commands: each reads its arguments, asks the layers below, and prints. One file a command.

mod check;
mod completions;
mod failure;
mod here;
mod list;
mod lookup;
mod man;
mod run;
mod show;

use std::ffi::OsString;
use std::io::Write;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};

pub use failure::{Exit, Failure};

use crate::cli::{Cli, Command};
use crate::progress::{Deed, Progress};
use crate::terminal;

/// Runs one command line (with the program's name first) and writes what it prints to `out`.
pub fn run(arguments: impl IntoIterator<Item = OsString>, out: &mut dyn Write) -> Result<Exit, Failure> {
    let cli = match parse(arguments) {
        Ok(cli) => cli,
        // Help and version are what was asked for, so they go where output goes.
        Err(error) if !error.use_stderr() => {
            write!(out, "{error}")?;
            return Ok(Exit::AsClaimed);
        }
        Err(error) if error.kind() == ErrorKind::InvalidUtf8 => {
            return Err(Failure::Usage("an argument is not valid UTF-8; names here are plain ASCII".into()));
        }
        Err(error) => return Err(Failure::Arguments(error.to_string())),
    };
    terminal::set_colour(cli.color);
    match cli.command {
        None => here::run(out),
        Some(Command::List { json }) => list::run(json, out),
        Some(Command::Show { lesson, variant }) => show::run(&lesson, variant.as_deref(), out),
        Some(Command::Run(args)) => run::run(&args, out),
        Some(Command::Check(args)) => check::run(&args, out),
        Some(Command::Completions { shell }) => completions::run(shell, out),
        Some(Command::Man { command }) => man::run(command.as_deref(), out),
    }
}

fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut command = Cli::command().term_width(terminal::width());
    let matches = command.try_get_matches_from_mut(arguments)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Keeps in mind that the reader has done something with a lesson. What cannot be kept is said on stderr, once, and
/// the work goes on.
fn note(lesson: &str, deed: Deed) {
    if let Err(problem) = Progress::load().record(lesson, deed) {
        let _ = writeln!(std::io::stderr(), "learn: your progress was not kept: {problem}");
    }
}

/// Prints a value as JSON, for other programs.
fn print_json(value: &impl serde::Serialize, out: &mut dyn Write) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::Output(error.into()))?;
    writeln!(out, "{text}")?;
    Ok(())
}
