//! The target of messages: a child process, a TCP server, or an HTTP server.

use std::process::ChildStdin;

use anyhow::Context;
use perf_cli::term::printable;

use super::args::Args;
use super::lines::Lines;
use super::schedule::{Monotonic, RateSchedule};
use super::tally::Tally;
use crate::guardian::{Guardian, end_group};
use crate::process::CommandSpec;
use crate::talking::Talking;

/// A target that is ready.
pub struct Target<'g> {
    shown: String,
    kind: Kind<'g>,
}

enum Kind<'g> {
    Child {
        lines: Lines<ChildStdin>,
        _child: Talking<'g>,
    },
    #[cfg(feature = "network")]
    Tcp(Lines<std::net::TcpStream>),
    #[cfg(feature = "network")]
    Http(super::http::Wanted, u16),
}

impl<'g> Target<'g> {
    /// Starts the child process, or connects to the server.
    ///
    /// # Errors
    /// The command cannot be started, or the server does not answer.
    pub fn open(args: &Args, clock: Monotonic, guardian: &'g Guardian) -> anyhow::Result<Self> {
        #[cfg(feature = "network")]
        if let Some(address) = &args.tcp {
            return network::tcp(address, &args.message, clock);
        }
        #[cfg(feature = "network")]
        if let Some(url) = &args.http {
            return network::http(url, args);
        }
        let here = std::env::current_dir().context("cannot determine the working directory")?;
        let line = CommandSpec::of(args.command.clone(), &here)?;
        let (child, input, output) = Talking::start(&line, guardian)?;
        let group = child.id();
        let lines = Lines::new((input, output), &args.message, clock, move || {
            end_group(group);
        });
        Ok(Self {
            shown: line.shown(),
            kind: Kind::Child {
                lines,
                _child: child,
            },
        })
    }

    /// The target, for messages and as a default name.
    pub fn shown(&self) -> String {
        printable(&self.shown)
    }

    /// Sends all scheduled messages, until `give_up`.
    ///
    /// # Errors
    /// A connection cannot be set up.
    pub fn repetition(
        &mut self,
        schedule: &RateSchedule,
        give_up: u64,
        clock: Monotonic,
    ) -> anyhow::Result<Tally> {
        match &mut self.kind {
            Kind::Child { lines, .. } => lines.repetition(schedule, give_up, clock),
            #[cfg(feature = "network")]
            Kind::Tcp(lines) => lines.repetition(schedule, give_up, clock),
            #[cfg(feature = "network")]
            Kind::Http(wanted, connections) => {
                network::requests(wanted, *connections, schedule, give_up, clock)
            }
        }
    }
}

/// Targets on the network.
#[cfg(feature = "network")]
mod network {
    use std::net::{Shutdown, TcpStream};
    use std::thread;
    use std::time::Duration;

    use perf_cli::Failure;
    use perf_cli::term::printable;

    use super::{Kind, Target};
    use crate::rate::args::Args;
    use crate::rate::exchange::{Exchange, Turn, work};
    use crate::rate::http::{Connection, Wanted};
    use crate::rate::lines::Lines;
    use crate::rate::schedule::{Monotonic, RateSchedule};
    use crate::rate::tally::Tally;

    /// Time limit for a server's first answer.
    const FIRST: Duration = Duration::from_secs(10);

    pub(super) fn tcp(
        address: &str,
        message: &str,
        clock: Monotonic,
    ) -> anyhow::Result<Target<'static>> {
        let connect = || {
            let stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            let (input, stop) = (stream.try_clone()?, stream.try_clone()?);
            Ok::<_, std::io::Error>((stream, input, stop))
        };
        let (stream, input, stop) = connect().map_err(|error| {
            Failure::new(format!(
                "cannot connect to `{}`: {error}",
                printable(address)
            ))
        })?;
        let lines = Lines::new((stream, input), message, clock, move || {
            drop(stop.shutdown(Shutdown::Both));
        });
        Ok(Target {
            shown: address.to_owned(),
            kind: Kind::Tcp(lines),
        })
    }

    pub(super) fn http(url: &str, args: &Args) -> anyhow::Result<Target<'static>> {
        let wanted = Wanted::new(url, &args.method, &args.header, &args.message)?;
        // Fail before thousands of requests do for the same reason.
        Connection::new(&wanted, FIRST)?
            .exchange()
            .map_err(|error| {
                Failure::new(format!(
                    "`{}` does not answer correctly: {error}",
                    printable(url)
                ))
            })?;
        Ok(Target {
            shown: url.to_owned(),
            kind: Kind::Http(wanted, args.connections),
        })
    }

    pub(super) fn requests(
        wanted: &Wanted,
        connections: u16,
        schedule: &RateSchedule,
        give_up: u64,
        clock: Monotonic,
    ) -> anyhow::Result<Tally> {
        use crate::rate::schedule::Clock;
        let turn = Turn::default();
        let mut all = Tally::new(schedule.messages)?;
        // Answers after the end are lost, so do not wait for them.
        let limit = Duration::from_nanos(give_up.saturating_sub(clock.now()));
        let tallies: anyhow::Result<Vec<Tally>> = thread::scope(|scope| {
            let connection = |_| {
                let (mut target, mut tally) = (Connection::new(wanted, limit)?, Tally::new(0)?);
                let turn = &turn;
                anyhow::Ok(scope.spawn(move || {
                    work(turn, schedule, give_up, &clock, &mut target, &mut tally);
                    tally
                }))
            };
            let running = (0..connections)
                .map(connection)
                .collect::<anyhow::Result<Vec<_>>>()?;
            let joined = running.into_iter().map(thread::ScopedJoinHandle::join);
            joined
                .map(|tally| tally.map_err(|_| anyhow::anyhow!("a connection panicked")))
                .collect()
        });
        for tally in tallies? {
            all.add(&tally);
        }
        Ok(all)
    }
}
