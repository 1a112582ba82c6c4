//! One stream with the referee, from Hello to its end.
//!
//! Whether to dial again after a broken stream is decided in bot.rs.

use std::fs;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};
use tonic::{Request, Status, Streaming};

use crate::Error;
use crate::tables::Tables;
use crate::v1::referee_client::RefereeClient;
use crate::v1::{FromBot, FromBotBatch, Hello, ToBotBatch, Welcome, from_bot, to_bot};

const CONNECT_SECONDS: u64 = 10;
const TCP_KEEPALIVE_SECONDS: u64 = 30;
const FAREWELL: Duration = Duration::from_millis(500);

/// Where the referee is. `address` is `unix:/path` or `host:port`; `tls` is `system` or the path of a PEM file.
pub(crate) fn endpoint(address: &str, tls: Option<&str>) -> Result<Endpoint, Error> {
    let invalid = |error| Error::Config(format!("TORTUGA_ADDRESS {address:?}: {}", root_cause(&error)));
    let target = match tls {
        _ if address.starts_with("unix:") => address.to_owned(),
        None => format!("http://{address}"),
        Some(_) => format!("https://{address}"),
    };
    let endpoint = Endpoint::from_shared(target)
        .map_err(invalid)?
        .connect_timeout(Duration::from_secs(CONNECT_SECONDS))
        .tcp_keepalive(Some(Duration::from_secs(TCP_KEEPALIVE_SECONDS))); // else a far server's death goes unnoticed
    let trust = match tls {
        None => return Ok(endpoint),
        Some("system") => ClientTlsConfig::new().with_native_roots(),
        Some(path) => {
            let roots = fs::read(path).map_err(|error| Error::Config(format!("TORTUGA_TLS {path:?}: {error}")))?;
            ClientTlsConfig::new().ca_certificate(Certificate::from_pem(roots))
        }
    };
    endpoint.tls_config(trust).map_err(|error| Error::Config(format!("TORTUGA_TLS: {}", root_cause(&error))))
}

/// Talks until Goodbye. `welcome` is filled as soon as the referee has let the bot in.
pub(crate) async fn converse(
    endpoint: &Endpoint,
    token: &str,
    hello: Hello,
    tables: &mut Tables<'_>,
    welcome: &mut Option<Welcome>,
) -> Result<(), Error> {
    let bearer = format!("Bearer {token}").parse().map_err(|_| Error::Config("TORTUGA_TOKEN is not a token".into()))?;
    let unreachable = |error| Error::Lost(format!("cannot reach the referee: {}", root_cause(&error)));
    let channel = endpoint.connect().await.map_err(unreachable)?;

    let (say, said) = mpsc::unbounded_channel();
    let say_all = |messages| {
        // If the stream is gone, reading from it tells why.
        let _ = say.send(FromBotBatch { messages });
    };
    say_all(vec![FromBot { table: 0, message: Some(from_bot::Message::Hello(hello)) }]);
    let mut request = Request::new(UnboundedReceiverStream::new(said));
    request.metadata_mut().insert("authorization", bearer);

    let mut heard = listen(RefereeClient::new(channel).play(request).await?.into_inner());
    while let Some((received, batch)) = heard.recv().await {
        let batch = batch?;
        let mut goodbye = false;
        let mut answers = Vec::new();
        for mut message in batch.messages {
            match &mut message.message {
                Some(to_bot::Message::Welcome(terms)) => {
                    tables.limits = terms.limits.unwrap_or_default();
                    *welcome = Some(std::mem::take(terms));
                }
                Some(to_bot::Message::Goodbye(last)) => {
                    goodbye = true;
                    // A far server: nobody else would tell the author why.
                    if welcome.as_ref().is_some_and(|terms| terms.reconnect_millis > 0) {
                        eprintln!("goodbye: {}", last.reason);
                    }
                }
                _ => answers.extend(tables.hear(message, received)),
            }
        }
        if !answers.is_empty() {
            say_all(answers);
        }
        if goodbye {
            drop(say); // ends our side of the stream; the referee then ends its own
            let _ = timeout(FAREWELL, heard.recv()).await;
            return Ok(());
        }
    }
    Err(Error::Lost("the referee ended the stream without Goodbye".into()))
}

/// Reads the stream to its end on the connection's thread while the bot thinks on its own, so that it is known how long
/// each question waited.
fn listen(mut stream: Streaming<ToBotBatch>) -> mpsc::UnboundedReceiver<(Instant, Result<ToBotBatch, Status>)> {
    let (pass, heard) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(batch) = stream.message().await.transpose() {
            let is_over = batch.is_err();
            if pass.send((Instant::now(), batch)).is_err() || is_over {
                break;
            }
        }
    });
    heard
}

/// What is behind an error: tonic's own text is only "transport error", and the layers below repeat each other.
pub(crate) fn root_cause(error: &dyn std::error::Error) -> String {
    let mut root = error;
    while let Some(cause) = root.source() {
        root = cause;
    }
    root.to_string()
}
