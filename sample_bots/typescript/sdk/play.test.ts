/** The SDK against a referee that follows a script: an in-process gRPC server on a Unix socket. */
import assert from "node:assert/strict";
import { on } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Metadata, Server, ServerCredentials, type ServerDuplexStream, status } from "@grpc/grpc-js";
import {
  FaultKind,
  type FromBot,
  type FromBotBatch,
  MatchStart,
  Question,
  RefereeService,
  ToBot,
  type ToBotBatch,
  Welcome,
} from "../gen/tortuga/v1/referee.js";
import { type Match, type Question as Asked, RefereeError, talk } from "./index.js";
import { Tables } from "./tables.js";

type Said = NonNullable<ToBot["message"]>;

/** One stream as the referee sees it. */
class Bot {
  readonly #stream: ServerDuplexStream<FromBotBatch, ToBotBatch>;
  readonly #heard: AsyncIterator<[FromBotBatch]>;

  constructor(stream: ServerDuplexStream<FromBotBatch, ToBotBatch>) {
    this.#stream = stream;
    this.#stream.on("error", () => undefined); // a bot that hangs up is what some tests are about
    this.#heard = on(stream, "data", { close: ["end"] }) as AsyncIterator<[FromBotBatch]>;
  }

  get token(): string {
    return String(this.#stream.metadata.get("authorization")[0]);
  }

  say(...messages: [table: number, message: Said | undefined][]): void {
    this.#stream.write({ messages: messages.map(([table, message]) => ({ table, message })) });
  }

  /** The next batch; nothing if the bot has closed its side. */
  async hear(): Promise<FromBot[]> {
    const next = await this.#heard.next();
    return next.done ? [] : next.value[0].messages;
  }

  /** Hello and Welcome. */
  async greet(welcome: Partial<Welcome> = {}): Promise<FromBot[]> {
    const hello = await this.hear();
    this.say([0, { $case: "welcome", value: Welcome.fromPartial({ protocol: 1, ...welcome }) }]);
    return hello;
  }

  /** A match begins, and the bot is ready. */
  async seat(table: number, start: Partial<MatchStart> = {}): Promise<void> {
    this.say([table, matchStart(start)]);
    assert.deepEqual(await this.hear(), [{ table, message: { $case: "ready", value: {} } }]);
  }

  async dismiss(): Promise<void> {
    this.say([0, { $case: "goodbye", value: { reason: "done" } }]);
    assert.deepEqual(await this.hear(), []);
    this.#stream.end();
  }

  breakOff(code: status, details: string): void {
    this.#stream.emit("error", { code, details, metadata: new Metadata() });
  }
}

function matchStart(start: Partial<MatchStart>): Said {
  return { $case: "matchStart", value: MatchStart.fromPartial({ matchId: "m", game: "broadsides", ...start }) };
}

function question(questionId: number, optionCount = 5): Said {
  return { $case: "question", value: Question.fromPartial({ questionId, optionCount }) };
}

function choice(table: number, questionId: number, optionIndex: number): FromBot {
  return { table, message: { $case: "choice", value: { questionId, optionIndex } } };
}

/** A message kind from a later day: field 99 of ToBot, which this bot's decoder does not know. */
const unknownKind: Said | undefined = ToBot.decode(Uint8Array.of(8, 1, 0x9a, 0x06, 0)).message;

let folder: string;
let address: string;
let server: Server;
let waiting: Bot[];
let arrived: (() => void) | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tortuga-"));
  address = `unix:${join(folder, "socket")}`;
  waiting = [];
  await open();
});

afterEach(() => {
  server.forceShutdown();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<void> {
  server = new Server();
  server.addService(RefereeService, {
    play: (stream: ServerDuplexStream<FromBotBatch, ToBotBatch>) => {
      waiting.push(new Bot(stream));
      arrived?.();
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** The next bot that dials in. */
async function arrival(): Promise<Bot> {
  if (waiting.length === 0) await new Promise<void>((resolve) => (arrived = resolve));
  return waiting.shift() ?? assert.fail();
}

const first = (): number => 0;

test("says who it is, and leaves on goodbye", async () => {
  const done = talk(first, {
    address,
    token: "t",
    name: "me",
    version: "2",
    games: ["marauders"],
    seatCounts: [2],
    wantModel: true,
    wantText: true,
    wantRules: true,
    slots: 3,
  });
  const bot = await arrival();
  assert.equal(bot.token, "Bearer t");
  const [hello] = await bot.greet();
  assert.equal(hello?.message?.$case, "hello");
  const { protocol, botName, botVersion, language, games, seatCounts, slots, wantModel, wantText, wantRules } =
    hello.message.value;
  assert.deepEqual([protocol, botName, botVersion, language, slots], [1, "me", "2", "typescript", 3]);
  assert.deepEqual([games, seatCounts, wantModel, wantText, wantRules], [["marauders"], [2], true, true, true]);
  await bot.dismiss();
  await done;
});

test("prints the goodbye of a far server", async (context) => {
  const print = context.mock.method(console, "error", () => undefined);
  for (const reconnectMillis of [5000, 0]) {
    const done = talk(first, { address, token: "t" });
    const bot = await arrival();
    await bot.greet({ reconnectMillis });
    await bot.dismiss();
    await done;
  }
  const printed = print.mock.calls.map((call) => call.arguments);
  assert.deepEqual(printed, [["goodbye: done"]]); // once: the second referee has started the bot and tells its author
});

test("answers a batch of several tables in one batch, each with its own memory", async () => {
  const choose = ({ match }: Asked<number>): number => (match.memory = (match.memory ?? match.seat) + 1);
  const done = talk(choose, { address, token: "t" });
  const bot = await arrival();
  await bot.greet();
  await bot.seat(1, { matchId: "a", seat: 0 });
  await bot.seat(2, { matchId: "b", seat: 1 });
  bot.say([1, question(1)], [2, question(1)]);
  assert.deepEqual(await bot.hear(), [choice(1, 1, 1), choice(2, 1, 2)]);
  bot.say([2, question(2)], [1, question(2)]);
  assert.deepEqual(await bot.hear(), [choice(2, 2, 3), choice(1, 2, 2)]);
  await bot.dismiss();
  await done;
});

test("passes over what it does not know: kinds, tables, ends", async () => {
  const done = talk(first, { address, token: "t" });
  const bot = await arrival();
  await bot.greet();
  await bot.seat(1);
  bot.say(
    [1, unknownKind],
    [7, question(1)],
    [7, { $case: "matchEnd", value: { ranks: [], reason: "", scores: [], faults: [], recordId: "" } }],
    [1, question(1)],
  );
  assert.deepEqual(await bot.hear(), [choice(1, 1, 0)]);
  bot.say([1, question(1)]); // repeated: answered again
  assert.deepEqual(await bot.hear(), [choice(1, 1, 0)]);
  await bot.dismiss();
  await done;
});

function note(table: number, questionId: number, text: string): FromBot {
  return { table, message: { $case: "note", value: { questionId, text: Buffer.from(text) } } };
}

const limits = { maxMessageBytes: 65536, maxUnsolicited: 16, maxNoteBytes: 21, maxNotesBytes: 100 };

test("sends notes before the answer, cut to the limits", async (context) => {
  const print = context.mock.method(console, "error", () => undefined);
  const done = talk(
    ({ questionId, note }) => {
      if (questionId === 1) for (const text of ["first", "", "é".repeat(20)]) note(text);
      else for (let count = 0; count < 9; count += 1) note("x"); // each counts as 16
      return questionId === 1 ? 0 : "resign";
    },
    { address, token: "t" },
  );
  const bot = await arrival();
  await bot.greet({ limits });
  await bot.seat(1);
  bot.say([1, question(1)]);
  assert.deepEqual(await bot.hear(), [note(1, 1, "first"), note(1, 1, "é".repeat(10)), choice(1, 1, 0)]);
  bot.say([1, question(2)]);
  const kept = Array.from({ length: 4 }, () => note(1, 2, "x")); // 16 + 20 + 4 * 16 = 100
  assert.deepEqual(await bot.hear(), [...kept, { table: 1, message: { $case: "resign", value: {} } }]);
  assert.equal(print.mock.callCount(), 1); // that the rest is dropped
  await bot.dismiss();
  await done;
});

test("sends no notes to a referee that takes none", async () => {
  const done = talk(
    ({ note }) => {
      note("nobody will read this");
      return 0;
    },
    { address, token: "t" },
  );
  const bot = await arrival();
  await bot.greet();
  await bot.seat(1);
  bot.say([1, question(1)]);
  assert.deepEqual(await bot.hear(), [choice(1, 1, 0)]);
  await bot.dismiss();
  await done;
});

test("counts the time that a question waited, also in a batch that was not read yet", () => {
  const slowMillis = 300;
  const left = new Map<string, number>();
  const tables = new Tables(({ match, timeLeft }) => {
    left.set(match.matchId, timeLeft());
    const until = performance.now() + (match.matchId === "slow" ? slowMillis : 0);
    while (performance.now() < until);
    return 0;
  }, {});
  const hear = (...messages: [table: number, message: Said][]): void => {
    tables.read();
    for (const [table, message] of messages) tables.hear({ table, message });
    tables.done();
  };
  const clock = { bankMillis: 0, incrementMillis: 0, capMillis: 0, startMillis: 0, unlimited: false };
  const timed = (questionId: number): Said => {
    return { $case: "question", value: Question.fromPartial({ questionId, optionCount: 2, timeLeftMillis: 10_000 }) };
  };
  hear([1, matchStart({ matchId: "slow", clock })], [2, matchStart({ matchId: "same batch", clock })]);
  hear([3, matchStart({ matchId: "next batch", clock })]);
  hear([4, matchStart({ matchId: "free", clock: { ...clock, unlimited: true } })]);
  hear([1, timed(1)], [2, timed(1)]);
  hear([3, timed(1)], [4, timed(1)]); // it came while the bot was thinking, and is read at once afterwards
  for (const name of ["same batch", "next batch"]) assert.ok((left.get(name) ?? Infinity) <= 10_000 - slowMillis, name);
  assert.ok((left.get("slow") ?? 0) > 9_000);
  assert.equal(left.get("free"), Infinity);
});

test("resigns, hears faults and the end, and sits down at the table again", async () => {
  const told: string[] = [];
  const done = talk(() => "resign", {
    address,
    token: "t",
    onStart: (match) => told.push(`start ${match.matchId}`),
    onFault: (match, fault) => told.push(`fault ${match.matchId} ${fault.message}`),
    onEnd: (match, end) => told.push(`end ${match.matchId} ${end.reason}`),
  });
  const bot = await arrival();
  await bot.greet();
  await bot.seat(1, { matchId: "a" });
  bot.say([1, question(1)]);
  assert.deepEqual(await bot.hear(), [{ table: 1, message: { $case: "resign", value: {} } }]);
  bot.say(
    [1, { $case: "fault", value: { kind: FaultKind.RESIGN, message: "gave up", faultsLeft: 0, out: true } }],
    [1, { $case: "matchEnd", value: { ranks: [2, 1], reason: "fault", scores: [], faults: [], recordId: "" } }],
  );
  await bot.seat(1, { matchId: "b" });
  assert.deepEqual(told, ["start a", "fault a gave up", "end a fault", "start b"]);
  await bot.dismiss();
  await done;
});

test("dials again when the stream breaks, and remembers its matches", async () => {
  const matches: Match[] = [];
  const choose = ({ match }: Asked<string>): number => {
    matches.push(match);
    return (match.memory ??= "kept").length;
  };
  const done = talk(choose, { address, token: "t" });
  let bot = await arrival();
  await bot.greet({ reconnectMillis: 5000, resumeToken: "again" });
  await bot.seat(1);
  await bot.seat(2, { seat: 1 });
  bot.say([1, question(1)]);
  assert.deepEqual(await bot.hear(), [choice(1, 1, 4)]);

  server.forceShutdown(); // for a while nobody listens at all
  await new Promise((resolve) => setTimeout(resolve, 250));
  await open();
  bot = await arrival();
  assert.equal(bot.token, "Bearer again");
  await bot.greet({ reconnectMillis: 5000 });
  await bot.seat(4, { resumed: true });
  await bot.seat(5, { resumed: true, seat: 1 });
  bot.say([4, question(2)], [5, question(1)]);
  assert.deepEqual(await bot.hear(), [choice(4, 2, 4), choice(5, 1, 4)]);
  assert.equal(matches[0], matches[1]);
  assert.deepEqual(
    matches.map((match) => match.seat),
    [0, 0, 1],
  );
  await bot.dismiss();
  await done;
});

test("gives up when its seats are not kept", async () => {
  const done = talk(first, { address, token: "t" });
  const bot = await arrival();
  await bot.greet();
  bot.breakOff(status.UNAVAILABLE, "gone");
  await assert.rejects(done, new RefereeError("the referee ended the stream: UNAVAILABLE: gone"));
});

test("takes a refusal as final", async () => {
  const done = talk(first, { address, token: "t" });
  let bot = await arrival();
  await bot.greet({ reconnectMillis: 5000 });
  bot.breakOff(status.UNAVAILABLE, "gone");
  bot = await arrival();
  bot.breakOff(status.UNAUTHENTICATED, "not you");
  await assert.rejects(done, new RefereeError("the referee ended the stream: UNAUTHENTICATED: not you"));
});

test("takes a refusal after Welcome as final, too", async () => {
  const done = talk(first, { address, token: "t" });
  const bot = await arrival();
  await bot.greet({ reconnectMillis: 5000 });
  bot.breakOff(status.ABORTED, "a newer stream of this bot has taken over");
  await assert.rejects(done, /ABORTED: a newer stream of this bot has taken over/);
});

test("says so when nobody listens, or when it does not know where to dial", async () => {
  await assert.rejects(talk(first, { address: `unix:${folder}/nobody`, token: "t" }), /UNAVAILABLE/);
  await assert.rejects(talk(first, { address: "", token: "t" }), /TORTUGA_ADDRESS is not set/);
});
