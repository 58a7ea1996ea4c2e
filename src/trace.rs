//! What one schedule did, step by step: the record that explorer, verdict, timeline and player share.
//!
//! A [`Trace`] is complete in itself: names, values and places are text, so that whoever shows it needs neither
//! the program nor the scheduler that made it.

use std::fmt;
use std::panic::Location;
use std::str::FromStr;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

/// A place in the source of the code under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    /// The file, as the compiler names it; compare by its end.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl Place {
    /// The place that a `#[track_caller]` function was called from.
    pub fn of(location: &'static Location<'static>) -> Self {
        Place { file: location.file(), line: location.line(), column: location.column() }
    }

    /// The file's name without its folders.
    pub fn file_name(&self) -> &'static str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(self.file)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file_name(), self.line)
    }
}

/// How a thread takes its step, where there is more than one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// The operation does what it waits for.
    Normal,
    /// A timed wait or a sleeping task's timer runs out.
    TimedOut,
    /// A wait ends although nobody has notified it.
    Spurious,
    /// One of several: which waiter a notification wakes, which timer fires, which branch is polled first; from 1.
    Pick(u8),
}

/// One scheduling decision: this thread, in this way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Move {
    /// The thread's number in this schedule: 0 is main, the others count from 1 in the order they were spawned.
    pub thread: u32,
    /// How it takes the step.
    pub way: Way,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.thread)?;
        match self.way {
            Way::Normal => Ok(()),
            Way::TimedOut => write!(f, "t"),
            Way::Spurious => write!(f, "s"),
            Way::Pick(n) => write!(f, ":{n}"),
        }
    }
}

/// A schedule as text: `1.2.2.1`; a run of three or more equal moves is written once, `1x40`.
///
/// `2t` is thread 2 timing out, `2s` its spurious wake-up, `2:1` the first of several ways.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Token(pub Vec<Move>);

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut dot = "";
        for run in self.0.chunk_by(|a, b| a == b) {
            if run.len() >= 3 {
                write!(f, "{dot}{}x{}", run[0], run.len())?;
                dot = ".";
            } else {
                for step in run {
                    write!(f, "{dot}{step}")?;
                    dot = ".";
                }
            }
        }
        Ok(())
    }
}

impl Serialize for Token {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Token {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Token {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Token".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "A schedule: thread numbers joined by dots, `t` timed out, `s` spurious wake-up, `:n` the n-th way, `xN` repeated N times.",
            "pattern": "^([0-9]+(t|s|:[0-9]+)?(x[0-9]+)?(\\.[0-9]+(t|s|:[0-9]+)?(x[0-9]+)?)*)?$"
        })
    }
}

/// Longest schedule a token may stand for, in moves.
const LONGEST: usize = 1_000_000;

impl FromStr for Token {
    type Err = String;

    /// Errors name the part that is no move, its position and the form it should have.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut moves = Vec::new();
        if text.trim().is_empty() {
            return Err("the schedule is empty: write thread numbers joined by dots, as in 1.2.2.1".into());
        }
        for (index, part) in text.trim().split('.').enumerate() {
            let (one, times) = part.split_once('x').unwrap_or((part, "1"));
            let parsed = parse_move(one).zip(times.parse::<usize>().ok().filter(|n| *n > 0));
            let Some((step, times)) = parsed else {
                return Err(format!(
                    "part {} of the schedule, `{part}`, is no move: write a thread's number, as in 1.2.2.1 \
                     (2t times out, 2s wakes spuriously, 2:1 takes the first of several ways, 1x40 repeats)",
                    index + 1
                ));
            };
            if moves.len().saturating_add(times) > LONGEST {
                return Err(format!("the schedule is longer than {LONGEST} moves"));
            }
            moves.extend(std::iter::repeat_n(step, times));
        }
        Ok(Token(moves))
    }
}

fn parse_move(text: &str) -> Option<Move> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, way) = text.split_at(digits);
    let way = match way {
        "" => Way::Normal,
        "t" => Way::TimedOut,
        "s" => Way::Spurious,
        _ => Way::Pick(way.strip_prefix(':')?.parse().ok().filter(|n| *n > 0)?),
    };
    Some(Move { thread: number.parse().ok()?, way })
}

/// What a step did to its object's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Took the value in and left it.
    Reads,
    /// Replaced the value without looking at it.
    Writes,
    /// Read and replaced in one indivisible step (or under one lock).
    Updates,
    /// Neither: it only waits, signals or orders.
    Orders,
}

/// One step of a schedule.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Step {
    /// Whose step, and in which way.
    #[serde(flatten)]
    pub choice: Move,
    /// What it does, third person: "reads", "locks", "sends", "waits on".
    pub verb: &'static str,
    /// The object it is done to, as an index into [`Trace::objects`].
    pub object: Option<usize>,
    /// A second object, such as the mutex of a condition variable's wait.
    pub with: Option<usize>,
    /// What it did to the object's value.
    pub effect: Effect,
    /// The value it saw, if it saw one that can be shown.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub seen: Option<CompactString>,
    /// The value it left, if it changed one that can be shown.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub left: Option<CompactString>,
    /// Where in the source.
    pub place: Place,
    /// What else it changed, after what it left in its own object: objects with their new values.
    #[cfg_attr(test, schemars(with = "Vec<(usize, String)>"))]
    pub changes: Vec<(usize, CompactString)>,
}

/// A thread (or task) of the schedule; its index in [`Trace::threads`] is its number in the token.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ThreadInfo {
    /// "main", "thread 1", "task 2", or the name it was given.
    pub name: String,
}

/// A shared object of the schedule.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ObjectInfo {
    /// Its given name, or the field or variable it was made for, or its type and place.
    pub name: String,
    /// Its type: "AtomicU64", "Mutex", "channel".
    pub kind: &'static str,
    /// Where it was made.
    pub place: Place,
    /// Its value before the first step, if it can be shown.
    pub initial: Option<String>,
}

/// What a thread that cannot move waits for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Wait {
    /// The waiting thread.
    pub thread: u32,
    /// The operation it cannot do.
    pub place: Place,
    /// For what, in words: "the lock `a`", "a message on `log queue`", "thread 2 to end".
    pub awaited: String,
    /// The object it waits for, as an index into [`Trace::objects`], if it is one.
    pub object: Option<usize>,
    /// Who holds that object, and since which line.
    pub held_by: Vec<(u32, Place)>,
}

/// How a schedule ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "end")]
pub enum Ending {
    /// The main thread returned.
    Returned,
    /// The program ended itself by `process::exit`.
    Exited {
        /// The exit code.
        code: i32,
    },
    /// A panic that nobody handled.
    Panicked {
        /// Whose.
        thread: u32,
        /// Its message.
        message: String,
        /// Where it was raised, `file:line`.
        place: Option<String>,
    },
    /// A destructor panicked while its thread was already unwinding; a real process aborts there.
    Aborted {
        /// Whose.
        thread: u32,
        /// The first panic's message.
        message: String,
        /// Where the destructor panicked, `file:line`.
        place: Option<String>,
    },
    /// Nobody can move.
    Deadlocked {
        /// Every waiting thread.
        waits: Vec<Wait>,
    },
    /// Threads go round without changing anything, and nobody else can move.
    Livelocked {
        /// Each such thread with the lines it goes round.
        spins: Vec<(u32, Vec<Place>)>,
        /// Whoever waits beside them.
        waits: Vec<Wait>,
    },
    /// The schedule is longer than the budget allows.
    TooLong {
        /// The lines the threads were going round at the end.
        spins: Vec<(u32, Vec<Place>)>,
    },
    /// An object of one scheduler was touched under another, or an operation asked for the impossible.
    Misused {
        /// What, where, and what to do instead.
        message: String,
    },
}

/// One schedule, complete.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Trace {
    /// By number; 0 is main.
    pub threads: Vec<ThreadInfo>,
    /// In the order they were made.
    pub objects: Vec<ObjectInfo>,
    /// In order.
    pub steps: Vec<Step>,
    /// How it ended.
    pub ending: Ending,
    /// What came out, as the program's outcome is written: "balance 1", or how it ended otherwise.
    pub outcome: String,
}

impl Trace {
    /// The token that replays this schedule.
    pub fn token(&self) -> Token {
        Token(self.steps.iter().map(|step| step.choice).collect())
    }

    /// How often the schedule goes from one thread to another.
    pub fn switches(&self) -> usize {
        self.steps.windows(2).filter(|pair| pair[0].choice.thread != pair[1].choice.thread).count()
    }
}
