//! A bot's options, and its way from the first Hello to Goodbye across broken streams.

use std::env;
use std::error::Error as _;
use std::fmt;
use std::process::ExitCode;
use std::time::Duration;

use tokio::runtime;
use tokio::time::{Instant, sleep};
use tonic::{Code, Status};

use crate::MatchStart;
use crate::conversation::{converse, endpoint, root_cause};
use crate::tables::{Player, Tables};
use crate::v1::Hello;

const PROTOCOL: u32 = 1;
const FIRST_DELAY: Duration = Duration::from_millis(100);
const LONGEST_DELAY: Duration = Duration::from_secs(2);

/// A bot and how it presents itself. Where the referee started the bot, the name of its bot.toml counts.
#[derive(Clone, Debug)]
pub struct Bot {
    hello: Hello,
    address: Option<String>,
    token: Option<String>,
    tls: Option<String>,
}

impl Bot {
    /// A bot of this name: version 1, every game, eight tables at once, dialling where the environment says.
    pub fn new(name: impl Into<String>) -> Self {
        // An empty variable counts as unset.
        let variable = |name| env::var(name).ok().filter(|text| !text.is_empty());
        Self {
            hello: Hello {
                protocol: PROTOCOL,
                bot_name: name.into(),
                bot_version: "1".into(),
                sdk: concat!("tortuga-bot ", env!("CARGO_PKG_VERSION")).into(),
                language: "rust".into(),
                slots: 8,
                ..Hello::default()
            },
            address: variable("TORTUGA_ADDRESS"),
            token: variable("TORTUGA_TOKEN"),
            tls: variable("TORTUGA_TLS"),
        }
    }

    /// The bot's version, any text.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.hello.bot_version = version.into();
        self
    }

    /// Ids of the games it plays. Empty: all of them.
    pub fn games(mut self, games: &[&str]) -> Self {
        self.hello.games = games.iter().map(ToString::to_string).collect();
        self
    }

    /// The sizes of tables it sits down at, in an arena. Empty: any.
    pub fn seat_counts(mut self, counts: &[u32]) -> Self {
        self.hello.seat_counts = counts.to_vec();
        self
    }

    /// How many matches it can play at once.
    pub fn slots(mut self, slots: u32) -> Self {
        self.hello.slots = slots;
        self
    }

    /// Asks for `model` with every question, for a bot that looks ahead: docs/model.md.
    pub fn want_model(mut self) -> Self {
        self.hello.want_model = true;
        self
    }

    /// Asks for `text` with every question: the table and the options in words, for people and language models.
    pub fn want_text(mut self) -> Self {
        self.hello.want_text = true;
        self
    }

    /// Asks for `rules_text` with every `MatchStart`: the rules of the game in words.
    pub fn want_rules(mut self) -> Self {
        self.hello.want_rules = true;
        self
    }

    /// Where to dial, instead of `TORTUGA_ADDRESS` and `TORTUGA_TOKEN`.
    pub fn dial(mut self, address: impl Into<String>, token: impl Into<String>) -> Self {
        self.address = Some(address.into());
        self.token = Some(token.into());
        self
    }

    /// [`run`](Self::run) for `main`: an error becomes one line on stderr and a failure.
    pub fn play<P: Player>(self, seat: impl FnMut(&MatchStart) -> P) -> ExitCode {
        match self.run(seat) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        }
    }

    /// Plays until the referee says goodbye. `seat` is called when a match begins and gives the player of that match.
    pub fn run<P: Player>(self, seat: impl FnMut(&MatchStart) -> P) -> Result<(), Error> {
        self.run_tables(Tables::new(seat))
    }

    fn run_tables(self, tables: Tables<'_>) -> Result<(), Error> {
        // The connection lives on a worker thread while the bot thinks on this one: the referee's pings are answered
        // even if a choice takes a minute.
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| Error::Config(format!("cannot start: {error}")))?;
        let result = runtime.block_on(self.talk(tables));
        runtime.shutdown_background(); // whatever still hangs (a name being resolved) must not keep the process
        result
    }

    async fn talk(self, mut tables: Tables<'_>) -> Result<(), Error> {
        let address = self.address.ok_or(Error::NoAddress)?;
        let endpoint = endpoint(&address, self.tls.as_deref())?;
        let mut token = self.token.unwrap_or_default();
        let mut delay = FIRST_DELAY;
        let mut give_up = Instant::now(); // until the referee grants a time to come back
        loop {
            let mut welcome = None;
            let Err(error) = converse(&endpoint, &token, self.hello.clone(), &mut tables, &mut welcome).await else {
                return Ok(());
            };
            if let Some(welcome) = welcome {
                delay = FIRST_DELAY;
                give_up = Instant::now() + Duration::from_millis(welcome.reconnect_millis.into());
                if !welcome.resume_token.is_empty() {
                    token = welcome.resume_token;
                }
            }
            if error.is_final() || Instant::now() + delay > give_up {
                return Err(error);
            }
            eprintln!("{error}; dialling again");
            tables.strand();
            sleep(delay).await;
            delay = LONGEST_DELAY.min(delay * 2);
        }
    }
}

/// Why a bot stopped before Goodbye.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// Nobody said where the referee is.
    NoAddress,
    /// The address, the token or the TLS roots cannot be used.
    Config(String),
    /// The referee will not have this bot.
    Refused(String),
    /// The stream, or the way to the referee, broke off.
    Lost(String),
}

impl Error {
    fn is_final(&self) -> bool {
        !matches!(self, Self::Lost(_))
    }
}

impl From<Status> for Error {
    /// A status with a source was made on this side, out of a broken connection; one without was sent by the referee, and
    /// is a refusal unless it says UNAVAILABLE.
    fn from(status: Status) -> Self {
        if status.source().is_some() {
            return Self::Lost(format!("the stream to the referee broke: {}", root_cause(&status)));
        }
        let text = format!("the referee ended the stream: {:?}: {}", status.code(), status.message());
        if status.code() == Code::Unavailable { Self::Lost(text) } else { Self::Refused(text) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAddress => f.write_str(
                "TORTUGA_ADDRESS is not set: start this bot through the referee, e.g. `tortuga play … --bot FOLDER`",
            ),
            Self::Config(what) | Self::Refused(what) | Self::Lost(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Error {}
