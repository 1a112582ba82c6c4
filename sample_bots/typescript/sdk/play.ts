/** The life of a bot: dial in, play until the referee says goodbye, dial again if the stream breaks. */
import { setTimeout as sleep } from "node:timers/promises";
import { status } from "@grpc/grpc-js";
import { Hello } from "../gen/tortuga/v1/referee.js";
import { logMarks } from "./log_marks.js";
import type { Choose } from "./question.js";
import { converse, RefereeError } from "./stream.js";
import { type Hooks, Tables } from "./tables.js";

export const SDK_VERSION = "0.1.0";

const PROTOCOL = 1;
const FIRST_PAUSE_MILLIS = 100;
const LONGEST_PAUSE_MILLIS = 2000;

export interface Options<Memory = unknown> extends Hooks<Memory> {
  /** Where the referee started the bot, the name of its manifest counts instead. */
  name?: string;
  version?: string;
  /** Ids of the games it plays. Empty: all of them. */
  games?: readonly string[];
  /** The sizes of tables it sits down at, in an arena. Empty: any. */
  seatCounts?: readonly number[];
  /** How many matches it plays at once. */
  slots?: number;
  /** Leave the options out of every question, to save bytes. `optionCount` stays. */
  omitOptions?: boolean;
  /** Leave the events out of every question, to save bytes. */
  omitEvents?: boolean;
  /** Send `model` with every question, for a bot that looks ahead: docs/model.md. */
  wantModel?: boolean;
  /** Send `text` with every question: the table and the options in words, for people and language models. */
  wantText?: boolean;
  /** Send `rulesText` with every match: the rules of the game in words. */
  wantRules?: boolean;
  /** Where the referee listens: `unix:/path` or `host:port`. Default: TORTUGA_ADDRESS. */
  address?: string | undefined;
  /** What lets the bot in. Default: TORTUGA_TOKEN. */
  token?: string | undefined;
}

/**
 * Play until the referee says goodbye; then nothing keeps the process alive and it ends with code 0. When the referee cannot
 * be reached or refuses, it ends with code 1 and one line on stderr.
 *
 * `choose` is called once per question. With more than one slot, questions of several matches come mixed: keep what belongs
 * to a match in `question.match.memory`. An exception ends the process.
 */
export function play<Memory = unknown>(choose: Choose<Memory>, options: Options<Memory> = {}): void {
  logMarks.takeOver(process.stdout, process.stderr);
  talk(choose, options).catch((error: unknown) => {
    console.error(error instanceof RefereeError ? error.message : error);
    process.exit(1);
  });
}

/** The same as a promise, which is fulfilled by the referee's goodbye; for tests, and for bots with a life of their own. */
export async function talk<Memory = unknown>(choose: Choose<Memory>, options: Options<Memory> = {}): Promise<void> {
  const address = options.address ?? process.env.TORTUGA_ADDRESS;
  if (!address) {
    throw new RefereeError(
      "TORTUGA_ADDRESS is not set: start this bot through the referee, e.g. `tortuga play … --bot FOLDER`",
    );
  }
  const hello = introduce(options);
  const tables = new Tables(choose, options);
  let token = options.token ?? process.env.TORTUGA_TOKEN ?? "";
  let seatsKeptUntil = 0;
  let pause = FIRST_PAUSE_MILLIS;
  for (;;) {
    const { goodbye, welcome, code, details } = await converse(address, token, hello, tables);
    if (goodbye) return;
    if (welcome) {
      tables.interrupt();
      token = welcome.resumeToken || token;
      seatsKeptUntil = performance.now() + welcome.reconnectMillis;
      pause = FIRST_PAUSE_MILLIS;
    }
    if (isRefusal(code, welcome !== undefined) || performance.now() + pause > seatsKeptUntil) {
      throw new RefereeError(`the referee ended the stream: ${status[code]}: ${details || "no goodbye"}`);
    }
    await sleep(pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
  }
}

/** Whether the referee will not have us. A stream that stood is also broken when it is cancelled: so ends one to a server shut down. */
function isRefusal(code: status, wasWelcome: boolean): boolean {
  return code !== status.OK && code !== status.UNAVAILABLE && (code !== status.CANCELLED || !wasWelcome);
}

function introduce<Memory>(options: Options<Memory>): Hello {
  // Not a plain object: a field that is added to Hello tomorrow must not break the build of this bot.
  return Hello.fromPartial({
    protocol: PROTOCOL,
    botName: options.name ?? "bot",
    botVersion: options.version ?? "1",
    sdk: `tortuga-bot-typescript ${SDK_VERSION}`,
    language: "typescript",
    games: [...(options.games ?? [])],
    seatCounts: [...(options.seatCounts ?? [])],
    slots: options.slots ?? 8,
    omitOptions: options.omitOptions ?? false,
    omitEvents: options.omitEvents ?? false,
    wantModel: options.wantModel ?? false,
    wantText: options.wantText ?? false,
    wantRules: options.wantRules ?? false,
  });
}
