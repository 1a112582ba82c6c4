//! The SDK against a referee played by the test: real gRPC over a Unix socket, every message written out.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

use tokio::net::UnixListener;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::{UnboundedReceiverStream, UnixListenerStream};
use tokio_stream::{Stream, StreamExt};
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

use crate::tables::Tables;
use crate::v1::from_bot::Message as Said;
use crate::v1::referee_server::{Referee, RefereeServer};
use crate::v1::to_bot::Message as Told;
use crate::v1::{
    Choice, Clock, FromBot, FromBotBatch, Goodbye, Hello, Limits, Note, Ready, Resign, ToBot, ToBotBatch, Welcome,
    to_bot,
};
use crate::{Answer, Bot, Error, Fault, MatchEnd, MatchStart, Player, Question, v1};

const PATIENCE: Duration = Duration::from_secs(20);

// --- The referee ------------------------------------------------------------------------------------------------------

/// Listens on a socket of its own and hands every stream to the test.
struct House {
    runtime: Runtime,
    socket: PathBuf,
    visits: mpsc::UnboundedReceiver<Visit>,
}

/// One stream of a bot.
struct Visit {
    token: String,
    heard: Streaming<FromBotBatch>,
    say: mpsc::UnboundedSender<Result<ToBotBatch, Status>>,
}

struct Door(mpsc::UnboundedSender<Visit>);

#[tonic::async_trait]
impl Referee for Door {
    type PlayStream = Pin<Box<dyn Stream<Item = Result<ToBotBatch, Status>> + Send>>;

    async fn play(&self, request: Request<Streaming<FromBotBatch>>) -> Result<Response<Self::PlayStream>, Status> {
        let bearer = request.metadata().get("authorization").and_then(|value| value.to_str().ok());
        let token = bearer.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default().to_owned();
        let (say, said) = mpsc::unbounded_channel();
        let _ = self.0.send(Visit { token, heard: request.into_inner(), say });
        Ok(Response::new(Box::pin(UnboundedReceiverStream::new(said))))
    }
}

impl House {
    fn open() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        Self::open_at(env::temp_dir().join(format!("tortuga-{}-{number}.sock", process::id())))
    }

    fn open_at(socket: PathBuf) -> Self {
        let runtime = Runtime::new().unwrap();
        let (visitor, visits) = mpsc::unbounded_channel();
        let listener = {
            let _inside = runtime.enter();
            UnixListenerStream::new(UnixListener::bind(&socket).unwrap())
        };
        runtime.spawn(Server::builder().serve_with_incoming(RefereeServer::new(Door(visitor)), listener));
        Self { runtime, socket, visits }
    }

    /// The referee's machine burns down: every connection breaks without a word.
    fn burn_down(self) -> PathBuf {
        let socket = self.socket.clone();
        self.runtime.shutdown_background();
        fs::remove_file(&socket).unwrap();
        socket
    }

    /// Starts a bot on a thread of its own.
    fn bot<P: Player>(
        &self,
        seat: impl FnMut(&MatchStart) -> P + Send + 'static,
    ) -> thread::JoinHandle<Result<(), Error>> {
        let bot = Bot::new("tester")
            .games(&["pavillon_noir"])
            .seat_counts(&[2])
            .want_model()
            .want_text()
            .want_rules()
            .dial(format!("unix:{}", self.socket.display()), "secret");
        thread::spawn(move || bot.run(seat))
    }

    /// Waits for the next stream and its Hello.
    fn admit(&mut self) -> (Visit, Hello) {
        let next = async { timeout(PATIENCE, self.visits.recv()).await };
        let mut visit = self.runtime.block_on(next).expect("no bot came").unwrap();
        match self.hear(&mut visit).as_slice() {
            [FromBot { table: 0, message: Some(Said::Hello(hello)) }] => (visit, hello.clone()),
            other => panic!("not a Hello: {other:?}"),
        }
    }

    /// The next batch of a bot.
    fn hear(&self, visit: &mut Visit) -> Vec<FromBot> {
        let next = async { timeout(PATIENCE, visit.heard.next()).await };
        self.runtime.block_on(next).expect("the bot is silent").expect("the bot is gone").unwrap().messages
    }
}

impl Visit {
    fn say(&self, messages: impl IntoIterator<Item = (u32, Told)>) {
        let tell = |(table, message)| ToBot { table, message: Some(message) };
        self.say.send(Ok(ToBotBatch { messages: messages.into_iter().map(tell).collect() })).unwrap();
    }
}

fn welcome(reconnect_millis: u32, resume_token: &str) -> (u32, Told) {
    (
        0,
        Told::Welcome(Welcome {
            protocol: 1,
            reconnect_millis,
            resume_token: resume_token.into(),
            ..Welcome::default()
        }),
    )
}

fn start(table: u32, match_id: &str, resumed: bool) -> (u32, Told) {
    start_at(table, match_id, 0, resumed)
}

fn start_at(table: u32, match_id: &str, seat: u32, resumed: bool) -> (u32, Told) {
    (table, Told::MatchStart(MatchStart { match_id: match_id.into(), seat, resumed, ..MatchStart::default() }))
}

fn question(table: u32, question_id: u32) -> (u32, Told) {
    (table, Told::Question(v1::Question { question_id, option_count: 100, ..Default::default() }))
}

fn end(table: u32) -> (u32, Told) {
    (table, Told::MatchEnd(MatchEnd::default()))
}

fn goodbye() -> (u32, Told) {
    (0, Told::Goodbye(Goodbye::default()))
}

fn ready(table: u32) -> FromBot {
    FromBot { table, message: Some(Said::Ready(Ready {})) }
}

fn choice(table: u32, question_id: u32, option_index: i32) -> FromBot {
    FromBot { table, message: Some(Said::Choice(Choice { question_id, option_index })) }
}

/// Counts its questions, which shows whose memory is whose.
fn counting(_: &MatchStart) -> impl Player + use<> {
    let mut count = 0;
    move |_: &Question| {
        count += 1;
        count
    }
}

// --- The tests --------------------------------------------------------------------------------------------------------

#[test]
fn a_bot_says_who_it_is_plays_and_leaves_at_goodbye() {
    let mut house = House::open();
    let bot = house.bot(counting);
    let (mut visit, hello) = house.admit();
    assert_eq!(visit.token, "secret");
    assert_eq!((hello.protocol, hello.slots), (1, 8));
    assert_eq!((hello.bot_name.as_str(), hello.bot_version.as_str(), hello.language.as_str()), ("tester", "1", "rust"));
    assert_eq!(hello.games, ["pavillon_noir"]);
    assert_eq!(hello.seat_counts, [2]);
    assert!(hello.want_model && hello.want_text && hello.want_rules);
    visit.say([welcome(0, ""), start(1, "one", false)]);
    assert_eq!(house.hear(&mut visit), [ready(1)]);
    visit.say([question(1, 1)]);
    assert_eq!(house.hear(&mut visit), [choice(1, 1, 1)]);
    visit.say([end(1), goodbye()]);
    assert_eq!(bot.join().unwrap(), Ok(()));
}

#[test]
fn all_questions_of_a_batch_are_answered_in_one_batch_each_by_its_own_player() {
    let mut house = House::open();
    let bot = house.bot(counting);
    let (mut visit, _) = house.admit();
    visit.say([welcome(0, ""), start(1, "one", false), start(2, "two", false)]);
    assert_eq!(house.hear(&mut visit), [ready(1), ready(2)]);
    visit.say([question(1, 1)]);
    assert_eq!(house.hear(&mut visit), [choice(1, 1, 1)]);
    visit.say([question(1, 2), question(2, 1), end(1), start(1, "three", false), question(1, 1)]);
    let expected = [choice(1, 2, 2), choice(2, 1, 1), ready(1), choice(1, 1, 1)];
    assert_eq!(house.hear(&mut visit), expected);
    visit.say([goodbye()]);
    assert_eq!(bot.join().unwrap(), Ok(()));
}

#[test]
fn what_a_bot_does_not_know_it_ignores() {
    let mut house = House::open();
    let bot = house.bot(counting);
    let (mut visit, _) = house.admit();
    let unknown_kind = ToBot { table: 1, message: None }; // what the decoder makes of a kind it has never heard of
    visit.say.send(Ok(ToBotBatch { messages: vec![unknown_kind] })).unwrap();
    let strange_fault = (9, Told::Fault(Fault { kind: 99, ..Fault::default() }));
    visit.say([welcome(0, ""), question(7, 1), end(7), end(7), strange_fault, start(1, "one", false)]);
    assert_eq!(house.hear(&mut visit), [ready(1)]);
    visit.say([question(1, 1), end(1), question(1, 2)]); // the match ended over the question
    assert_eq!(house.hear(&mut visit), [choice(1, 1, 1)]);
    visit.say([goodbye()]);
    assert_eq!(bot.join().unwrap(), Ok(()));
}

fn note(table: u32, question_id: u32, text: &str) -> FromBot {
    FromBot { table, message: Some(Said::Note(Note { question_id, text: text.into() })) }
}

/// Notes a lot, and gives up at the second question.
fn talkative(_: &MatchStart) -> impl Player + use<> {
    |question: &Question| {
        if question.question_id == 1 {
            question.note("first");
            question.note("");
            question.note("é".repeat(20)); // 40 bytes
            return Answer::Choose(0);
        }
        for _ in 0..9 {
            question.note("x"); // counts as 16
        }
        Answer::Resign
    }
}

#[test]
fn notes_leave_before_the_answer_and_are_cut_to_the_limits() {
    let mut house = House::open();
    let bot = house.bot(talkative);
    let (mut visit, _) = house.admit();
    let limits = Limits { max_note_bytes: 21, max_notes_bytes: 100, ..Limits::default() };
    let welcome = Welcome { protocol: 1, limits: Some(limits), ..Welcome::default() };
    visit.say([(0, Told::Welcome(welcome)), start(1, "one", false), question(1, 1)]);
    let cut = "é".repeat(10);
    assert_eq!(house.hear(&mut visit), [ready(1), note(1, 1, "first"), note(1, 1, &cut), choice(1, 1, 0)]);
    visit.say([question(1, 2)]);
    let mut expected = vec![note(1, 2, "x"); 4]; // 16 + 20 + 4 * 16 = 100
    expected.push(FromBot { table: 1, message: Some(Said::Resign(Resign {})) });
    assert_eq!(house.hear(&mut visit), expected);
    visit.say([goodbye()]);
    assert_eq!(bot.join().unwrap(), Ok(()));
}

#[test]
fn a_referee_that_takes_no_notes_is_sent_none() {
    let mut house = House::open();
    let bot = house.bot(talkative);
    let (mut visit, _) = house.admit();
    visit.say([welcome(0, ""), start(1, "one", false), question(1, 1)]);
    assert_eq!(house.hear(&mut visit), [ready(1), choice(1, 1, 0)]);
    visit.say([goodbye()]);
    assert_eq!(bot.join().unwrap(), Ok(()));
}

#[test]
fn the_time_a_question_waited_is_gone() {
    const SLOW: Duration = Duration::from_millis(500);
    const GIVEN: Duration = Duration::from_secs(10);
    let mut house = House::open();
    let (tell, mut told) = mpsc::unbounded_channel();
    let bot = house.bot(move |start| {
        let (name, tell) = (start.match_id.clone(), tell.clone());
        move |question: &Question| {
            tell.send((name.clone(), question.time_left())).unwrap();
            if name == "slow" {
                thread::sleep(SLOW);
            }
            0
        }
    });
    let (mut visit, _) = house.admit();
    let timed = |table| {
        let time_left_millis = GIVEN.as_millis().try_into().unwrap();
        let question = v1::Question { question_id: 1, option_count: 2, time_left_millis, ..Default::default() };
        (table, Told::Question(question))
    };
    let mut free = MatchStart { match_id: "free".into(), ..MatchStart::default() };
    free.clock = Some(Clock { unlimited: true, ..Clock::default() });
    visit.say([welcome(0, ""), start(1, "slow", false), start(2, "same batch", false), start(3, "next batch", false)]);
    visit.say([(4, Told::MatchStart(free))]);
    assert_eq!(house.hear(&mut visit).len() + house.hear(&mut visit).len(), 4);
    visit.say([timed(1), timed(2)]);
    visit.say([timed(3), timed(4)]); // while the bot thinks
    assert_eq!(house.hear(&mut visit), [choice(1, 1, 0), choice(2, 1, 0)]);
    assert_eq!(house.hear(&mut visit), [choice(3, 1, 0), choice(4, 1, 0)]);
    visit.say([goodbye()]);
    assert_eq!(bot.join().unwrap(), Ok(()));
    while let Ok((name, left)) = told.try_recv() {
        match name.as_str() {
            "slow" => assert!(left <= Some(GIVEN)),
            "free" => assert_eq!(left, None),
            _ => assert!(left.unwrap() <= GIVEN - SLOW / 2, "{name}: {left:?}"),
        }
    }
}

/// Gives up at once and writes down what it hears.
struct Quitter(mpsc::UnboundedSender<String>);

impl Player for Quitter {
    fn choose(&mut self, _: &Question) -> Answer {
        Answer::Resign
    }

    fn on_fault(&mut self, fault: &Fault) {
        self.0.send(fault.message.clone()).unwrap();
    }

    fn on_end(&mut self, end: &MatchEnd) {
        self.0.send(end.reason.clone()).unwrap();
    }
}

#[test]
fn a_player_may_resign_and_hears_of_faults_and_the_end() {
    let mut house = House::open();
    let (note, mut notes) = mpsc::unbounded_channel();
    let bot = house.bot(move |_| Quitter(note.clone()));
    let (mut visit, _) = house.admit();
    visit.say([welcome(0, ""), start(1, "one", false), question(1, 1)]);
    assert_eq!(house.hear(&mut visit), [ready(1), FromBot { table: 1, message: Some(Said::Resign(Resign {})) }]);
    visit.say([
        (1, Told::Fault(Fault { message: "gave up".into(), ..Fault::default() })),
        (1, to_bot::Message::MatchEnd(MatchEnd { reason: "fault".into(), ..MatchEnd::default() })),
        goodbye(),
    ]);
    assert_eq!(bot.join().unwrap(), Ok(()));
    assert_eq!((notes.blocking_recv().as_deref(), notes.blocking_recv().as_deref()), (Some("gave up"), Some("fault")));
}

#[test]
fn the_goodbye_of_a_far_server_is_printed() {
    const SOCKET: &str = "SOCKET_OF_THIS_TEST";
    if let Ok(socket) = env::var(SOCKET) {
        // The bot: a process of its own, whose stderr can be read.
        assert_eq!(Bot::new("tester").dial(format!("unix:{socket}"), "secret").run(counting), Ok(()));
        return;
    }
    for (reconnect_millis, expected) in [(60_000, "goodbye: the arena closes\n"), (0, "")] {
        let mut house = House::open();
        let bot = process::Command::new(env::current_exe().unwrap())
            .args(["--exact", "tests::the_goodbye_of_a_far_server_is_printed", "--nocapture"])
            .env(SOCKET, &house.socket)
            .stdout(process::Stdio::null())
            .stderr(process::Stdio::piped())
            .spawn()
            .unwrap();
        let (visit, _) = house.admit();
        visit.say([welcome(reconnect_millis, ""), (0, Told::Goodbye(Goodbye { reason: "the arena closes".into() }))]);
        let output = bot.wait_with_output().unwrap();
        assert!(output.status.success());
        assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    }
}

#[test]
fn an_end_without_goodbye_is_an_error() {
    let mut house = House::open();
    let bot = house.bot(counting);
    let (visit, _) = house.admit();
    visit.say([welcome(0, "")]);
    drop(visit);
    assert!(matches!(bot.join().unwrap(), Err(Error::Lost(_))));
}

#[test]
fn a_refusal_is_final_even_where_the_bot_might_come_back() {
    let mut house = House::open();
    let bot = house.bot(counting);
    let (visit, _) = house.admit();
    visit.say([welcome(60_000, "")]);
    visit.say.send(Err(Status::unauthenticated("not you"))).unwrap();
    assert_eq!(
        bot.join().unwrap(),
        Err(Error::Refused("the referee ended the stream: Unauthenticated: not you".into()))
    );
}

#[test]
fn after_a_broken_stream_a_bot_comes_back_with_what_it_knew() {
    let mut house = House::open();
    let bot = house.bot(counting);
    let (mut visit, _) = house.admit();
    visit.say([welcome(60_000, "second"), start(1, "one", false), question(1, 1), question(1, 2)]);
    assert_eq!(house.hear(&mut visit), [ready(1), choice(1, 1, 1), choice(1, 2, 2)]);
    visit.say.send(Err(Status::unavailable("back in a moment"))).unwrap();

    let (mut visit, _) = house.admit();
    assert_eq!(visit.token, "second");
    visit.say([welcome(60_000, ""), start(5, "one", true), question(5, 3)]);
    assert_eq!(house.hear(&mut visit), [ready(5), choice(5, 3, 3)]);
    let mut house = House::open_at(house.burn_down());

    let (mut visit, _) = house.admit();
    assert_eq!(visit.token, "second"); // an empty resume_token: the same one again
    visit.say([welcome(0, ""), start(1, "one", true), start(2, "new", false), question(1, 3), question(2, 1)]);
    assert_eq!(house.hear(&mut visit), [ready(1), ready(2), choice(1, 3, 4), choice(2, 1, 1)]);
    visit.say([goodbye()]);
    assert_eq!(bot.join().unwrap(), Ok(()));
}

#[test]
fn each_seat_of_a_match_keeps_its_own_player() {
    let mut tables = Tables::new(counting);
    let hear = |tables: &mut Tables<'_>, (table, message)| {
        tables.hear(ToBot { table, message: Some(message) }, Instant::now())
    };
    for told in [start_at(1, "one", 0, false), start_at(2, "one", 1, false), question(1, 1)] {
        hear(&mut tables, told);
    }
    tables.strand();
    for told in [start_at(3, "one", 0, true), start_at(4, "one", 1, true)] {
        hear(&mut tables, told);
    }
    assert_eq!(hear(&mut tables, question(3, 2)), [choice(3, 2, 2)]);
    assert_eq!(hear(&mut tables, question(4, 1)), [choice(4, 1, 1)]);
}

#[test]
fn a_bot_gives_up_when_its_seats_are_no_longer_kept() {
    let mut house = House::open();
    let bot = house.bot(counting);
    let (visit, _) = house.admit();
    visit.say([welcome(400, "")]);
    drop(visit);
    house.burn_down();
    assert!(matches!(bot.join().unwrap(), Err(Error::Lost(_))));
}

#[test]
fn an_unusable_address_or_root_is_told_in_one_line() {
    let bot = |address| Bot::new("tester").dial(address, "secret").run(counting).unwrap_err().to_string();
    for message in [bot("unix:/nowhere"), bot("not an address"), bot("127.0.0.1:1")] {
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

// --- Typed questions ----------------------------------------------------------------------------------------------------

#[test]
fn a_question_has_the_messages_of_its_game_at_hand() {
    use crate::pirates_cove::{Decision, Event, Observation, Option, Position, Sail, Ship, option::Action};
    let position = Position {
        decision: Decision::Navigate.into(),
        observation: Some(Observation { ships: vec![Ship { chests: 3, ..Ship::default() }], ..Observation::default() }),
        options: vec![Option::default(), Option { action: Some(Action::Sail(Sail { island: 6 })) }],
        events: vec![Event::default()],
    };
    let message = v1::Question { position: Some(crate::Position::PiratesCove(position)), ..v1::Question::default() };
    let question = Question::from(message);
    let asked = question.pirates_cove();
    assert_eq!((asked.decision(), asked.events.len()), (Decision::Navigate, 1));
    assert_eq!(asked.observation().ships[0].chests, 3);
    assert!(matches!(&asked.options[1].action, Some(Action::Sail(sail)) if sail.island == 6));
}

#[test]
fn a_question_of_another_game_has_nothing_to_see() {
    let question = Question::from(v1::Question { option_count: 7, ..v1::Question::default() });
    assert!(question.pavillon_noir().options.is_empty());
    assert!(question.broadsides().options.is_empty());
    assert!(question.pirates_cove().observation().ships.is_empty());
    assert!(question.marauders().options.is_empty());
    assert_eq!(question.option_count, 7);
}
