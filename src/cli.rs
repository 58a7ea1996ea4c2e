//! The command line, defined once: parsing, help, completions and the man pages all come from here.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::explore::Options;
use crate::trace::Token;

const EXIT_CODES: &str = "\
Exit codes:
  0  everything is as the lesson claims
  1  a claim failed, or something did not come out as claimed
  2  the command could not be carried out (wrong usage, say)
  3  the budget ended before the verdict was known

Environment:
  COLUMNS         width to print in, 40 to 120
  NO_COLOR        no colour; so does CLICOLOR=0
  CLICOLOR_FORCE  colour even into a pipe
  PITFALLS_STATE  folder to keep your progress in";

/// Learn concurrency by breaking it on purpose.
#[derive(Debug, Parser)]
#[command(
    name = "learn",
    version,
    about = "Learn concurrency by breaking it on purpose",
    long_about = "Learn concurrency by breaking it on purpose: each lesson is ordinary Rust that goes wrong, run on \
                  the operating system's threads, and explored through every schedule they could take.\n\nWithout a \
                  command: where you are, and the next step.",
    after_help = "Start with `learn run race`. More with `learn --help` and `learn help COMMAND`.",
    after_long_help = EXIT_CODES,
    color = clap::ColorChoice::Never,
    disable_help_subcommand = false
)]
pub struct Cli {
    /// When to colour the output
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", value_enum)]
    pub color: Colour,
    /// What to do; without it, `learn` says where you are.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// When to colour the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// When stdout is a terminal and the environment does not forbid it
    Auto,
    /// Even into a pipe or a file
    Always,
    /// Not at all
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the lessons
    #[command(after_help = "Examples:\n  learn list\n  learn list --json")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a lesson: its story and its code, broken against fixed
    #[command(after_help = "Examples:\n  learn show race\n  learn show race --variant fixed_owner")]
    Show {
        /// The lesson, as `learn list` names it
        lesson: String,
        /// Only this variant, its file in full
        #[arg(long, value_name = "NAME")]
        variant: Option<String>,
    },
    /// Run a lesson for real, many times, and count what comes out
    #[command(
        after_help = "Examples:\n  learn run race\n  learn run race --variant broken --trials 200",
        after_long_help = "Examples:\n  learn run race\n  learn run race --variant broken --trials 200\n\nExit codes: \
                           0 every variant came out as the lesson claims, 1 one did not, 2 wrong usage."
    )]
    Run(RunArgs),
    /// Check a lesson: explore every schedule, and show the smallest that fails
    #[command(
        after_help = "Examples:\n  learn check race\n  learn check race --variant broken --size 3x2\n  \
                      learn check race --schedule 1.2.1.2",
        after_long_help = "Examples:\n  learn check race\n  learn check race --variant broken --size 3x2\n  \
                           learn check race --schedule 1.2.1.2\n  learn check --all --budget states=100000\n\nExit \
                           codes: 0 every verdict is as the lesson claims, 1 one is not, 2 wrong usage, 3 out of \
                           budget.\nWith --schedule: 0 the schedule breaks no claim, 1 it breaks one, or does not \
                           fit the program."
    )]
    Check(CheckArgs),
    /// Print a completion script for a shell
    #[command(
        override_usage = "learn completions SHELL",
        after_help = "Example:\n  learn completions bash > learn.bash"
    )]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, of `learn` or of one command
    #[command(after_help = "Examples:\n  learn man > learn.1\n  learn man check > learn-check.1")]
    Man {
        /// The command; without it, the page of `learn` itself
        command: Option<String>,
    },
}

/// `learn run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The lesson, as `learn list` names it
    pub lesson: String,
    /// Only this variant
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// Trials of each variant, instead of as many as fit into about two seconds for all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub trials: Option<u32>,
    /// About twenty seconds instead of two
    #[arg(long, conflicts_with = "trials")]
    pub full: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `learn check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The lesson, as `learn list` names it
    #[arg(required_unless_present = "all")]
    pub lesson: Option<String>,
    /// Check every lesson
    #[arg(long, conflicts_with_all = ["lesson", "variant", "size", "schedule"])]
    pub all: bool,
    /// Only this variant
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// How large a program to explore, such as 2x1; may be given several times
    #[arg(long, value_name = "SIZE")]
    pub size: Vec<String>,
    /// Replay one schedule, as a verdict prints it, instead of exploring all
    ///
    /// Replays it on the first broken variant at the lesson's smallest size, unless --variant and --size say
    /// otherwise. If the code has changed since, it is followed as far as it fits.
    #[arg(long, value_name = "TOKEN", conflicts_with = "trials")]
    pub schedule: Option<Token>,
    /// Also draw the timeline into this file, as SVG: of the schedule replayed, or of the first one that fails
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// What to spend on each verdict: a number of states, or a list such as states=200000,steps=5000000
    ///
    /// `states`: distinct states kept in memory; `steps`: steps taken over all executions; `length`: steps of one
    /// schedule. Counts, not seconds, so that a verdict does not depend on the machine.
    #[arg(long, value_name = "BUDGET")]
    pub budget: Option<Budget>,
    /// Runs on real threads beside each verdict on broken code, a second's worth at most; 0 for none
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub trials: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What `--budget` says; whatever it leaves out stays as it is by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// Distinct states.
    pub states: Option<u64>,
    /// Steps over all executions.
    pub steps: Option<u64>,
    /// Steps of one schedule.
    pub length: Option<u64>,
}

impl Budget {
    /// Puts the budget into the explorer's options.
    pub fn apply(&self, options: &mut Options) {
        options.states = self.states.unwrap_or(options.states);
        options.steps = self.steps.unwrap_or(options.steps);
        options.schedule_steps = self.length.unwrap_or(options.schedule_steps);
    }
}

impl FromStr for Budget {
    type Err = String;

    /// `200000`, `states=200_000`, `states=200000,steps=5000000`; each at most once.
    fn from_str(text: &str) -> Result<Self, String> {
        let form = "write a number of states, or a list such as states=200000,steps=5000000,length=10000";
        let mut budget = Budget::default();
        for part in text.split(',').map(str::trim) {
            let (name, number) = part.split_once('=').unwrap_or(("states", part));
            let number = match number.trim().replace('_', "").parse::<u64>() {
                Ok(0) => return Err(format!("`{part}` allows nothing: {form}")),
                Ok(number) => number,
                Err(_) => return Err(format!("`{part}` has no whole number: {form}")),
            };
            let place = match name.trim() {
                "states" => &mut budget.states,
                "steps" => &mut budget.steps,
                "length" => &mut budget.length,
                other => return Err(format!("`{other}` cannot be limited: {form}")),
            };
            if place.replace(number).is_some() {
                return Err(format!("`{}` is limited twice: {form}", name.trim()));
            }
        }
        Ok(budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn a_budget_is_a_number_of_states_or_a_list() {
        let budget = |states, steps, length| Ok(Budget { states, steps, length });
        assert_eq!("200000".parse(), budget(Some(200_000), None, None));
        assert_eq!("200_000".parse(), budget(Some(200_000), None, None));
        assert_eq!("states=5, steps=7".parse(), budget(Some(5), Some(7), None));
        assert_eq!("length=9".parse(), budget(None, None, Some(9)));
    }

    #[test]
    fn a_wrong_budget_is_refused_with_a_right_one() {
        for (text, problem) in [
            ("", "has no whole number"),
            ("lots", "has no whole number"),
            ("-1", "has no whole number"),
            ("states=", "has no whole number"),
            ("states=5s", "has no whole number"),
            ("99999999999999999999999", "has no whole number"),
            ("0", "allows nothing"),
            ("seconds=5", "`seconds` cannot be limited"),
            ("5,states=6", "`states` is limited twice"),
        ] {
            let error = text.parse::<Budget>().unwrap_err();
            assert!(error.contains(problem), "{text}: {error}");
            assert!(error.contains("states=200000,steps=5000000"), "{text}: {error}");
        }
    }
}
