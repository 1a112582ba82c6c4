/** One gRPC stream to the referee, from Hello to its end. Everything that came in one batch is answered in one batch. */
import { existsSync, readFileSync } from "node:fs";
import { type ChannelCredentials, credentials, Metadata, type status } from "@grpc/grpc-js";
import { type FromBot, type Hello, RefereeClient, type ToBotBatch, type Welcome } from "../gen/tortuga/v1/referee.js";
import type { Tables } from "./tables.js";

/** The referee cannot be reached or will not have us. The message is all there is to say. */
export class RefereeError extends Error {}

/** How a stream ended. */
export interface Ending {
  /** True: the referee said goodbye, and all is well. */
  goodbye: boolean;
  /** What the referee answered to Hello. Undefined: it never did. */
  welcome: Welcome | undefined;
  code: status;
  details: string;
}

/** How long the referee may take to close a stream after its Goodbye; then we hang up. */
const CLOSING_MILLIS = 50;

/** Dial, say Hello and answer until the stream ends, for whatever reason. */
export function converse<Memory>(
  address: string,
  token: string,
  hello: Hello,
  tables: Tables<Memory>,
): Promise<Ending> {
  // A pool of its own: the shared one would make a second dial wait until a failed first one is forgotten.
  const client = new RefereeClient(address, chooseCredentials(), { "grpc.use_local_subchannel_pool": 1 });
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  const stream = client.play(metadata);
  stream.write({ messages: [{ table: 0, message: { $case: "hello", value: hello } }] });

  let goodbye = false;
  let welcome: Welcome | undefined;
  stream.on("data", (batch: ToBotBatch) => {
    const answers: FromBot[] = [];
    tables.read();
    for (const message of batch.messages) {
      if (goodbye) break;
      answers.push(...tables.hear(message));
      if (message.message?.$case === "welcome") welcome = message.message.value;
      if (message.message?.$case === "goodbye") {
        goodbye = true;
        // A far server: nobody else would tell the author why.
        if (welcome?.reconnectMillis) console.error(`goodbye: ${message.message.value.reason}`);
      }
    }
    if (answers.length > 0) stream.write({ messages: answers });
    tables.done();
    if (goodbye) {
      stream.end();
      setTimeout(() => {
        stream.cancel();
      }, CLOSING_MILLIS).unref(); // the open stream keeps the process alive, the timer alone shall not
    }
  });

  return new Promise((resolve) => {
    stream.on("error", () => undefined); // "status" tells the same, and tells it of a good end as well
    stream.on("status", ({ code, details }) => {
      client.close();
      resolve({ goodbye, welcome, code, details });
    });
  });
}

/** Where systems keep the roots they trust; Node 20 itself looks at a list of its own only. */
const SYSTEM_ROOTS = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/** TORTUGA_TLS: unset is plain text, "system" trusts the system's roots, a path those in that PEM file. */
function chooseCredentials(): ChannelCredentials {
  const choice = process.env.TORTUGA_TLS;
  if (!choice) return credentials.createInsecure();
  const path = choice === "system" ? SYSTEM_ROOTS.find((roots) => existsSync(roots)) : choice;
  try {
    return credentials.createSsl(path === undefined ? null : readFileSync(path));
  } catch (error) {
    throw new RefereeError(`TORTUGA_TLS: ${String(error)}`);
  }
}
