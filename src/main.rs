//! The command `learn`: runs it; a closed pipe is success, any other failure one clear message and an exit code.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use pitfalls::commands;

fn main() -> ExitCode {
    let mut out = BufWriter::new(io::stdout().lock());
    let result = commands::run(std::env::args_os(), &mut out).and_then(|exit| {
        out.flush()?;
        Ok(exit)
    });
    match result {
        Ok(exit) => exit.into(),
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            // If stderr is closed too, only the exit code is left to say it.
            let _ = writeln!(io::stderr(), "{failure}");
            failure.exit().into()
        }
    }
}
