//! A fake GitHub, and clients for it that don't wait.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

pub use fake_github::account;
use fake_github::{Fake, World};
use perf_github::{Api, ApiError, Client, ClientSettings, Clock, Token};

/// A clock that only sums up its pauses.
#[derive(Default)]
pub struct Counting(Mutex<Duration>);

impl Counting {
    pub fn slept(&self) -> Duration {
        *self.0.lock().unwrap()
    }
}

impl Clock for Counting {
    fn now(&self) -> SystemTime {
        SystemTime::now() + self.slept()
    }

    fn sleep(&self, time: Duration) {
        *self.0.lock().unwrap() += time;
    }
}

/// A fake GitHub and a clock.
pub struct Setting {
    pub fake: Fake,
    pub clock: Arc<Counting>,
}

impl Setting {
    pub fn new(world: World) -> Self {
        Self {
            fake: Fake::start(world).unwrap(),
            clock: Arc::default(),
        }
    }

    /// Creates a client with a workflow token.
    pub fn client(&self) -> Client {
        self.client_of(account::WORKFLOW)
    }

    pub fn client_of(&self, token: &str) -> Client {
        self.client_with(
            token,
            ClientSettings {
                clock: self.clock.clone(),
                ..ClientSettings::read(|_| None).unwrap()
            },
        )
    }

    pub fn client_with(&self, token: &str, settings: ClientSettings) -> Client {
        let api = Api::new(self.fake.url()).unwrap();
        Client::new(
            &api,
            "octo/quill".parse().unwrap(),
            &Token::new(token).unwrap(),
            settings,
        )
        .unwrap()
    }
}

/// Formats an error with its kind and hints.
pub fn described<T: std::fmt::Debug>(result: Result<T, ApiError>) -> String {
    let error = result.unwrap_err();
    let kind = error.kind;
    let error = error.into();
    let hints: Vec<String> = perf_cli::failure::hints(&error)
        .iter()
        .map(|hint| format!("\nhint: {hint}"))
        .collect();
    format!(
        "{kind:?}: {}{}",
        perf_cli::failure::message(&error),
        hints.concat()
    )
}
