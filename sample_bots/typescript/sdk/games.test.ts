/** Typed questions, and marks in the log. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PiratesCove_Decision, PiratesCove_Position } from "../gen/tortuga/v1/pirates_cove.js";
import { MatchStart, Question } from "../gen/tortuga/v1/referee.js";
import {
  broadsides,
  marauders,
  pavillonNoir,
  piratesCove,
  type PiratesCoveQuestion,
  type Question as Asked,
} from "./index.js";
import { LogMarks } from "./log_marks.js";

function asked(question: Partial<Question>): Asked {
  const match = { ...MatchStart.fromPartial({ matchId: "m", seat: 1 }), memory: undefined };
  return { ...Question.fromPartial(question), match, timeLeft: () => 0, note: () => undefined };
}

test("a question of one game has its messages at hand", () => {
  const value = PiratesCove_Position.fromPartial({
    decision: PiratesCove_Decision.NAVIGATE,
    observation: { ships: [{}, { chests: 3 }] },
    options: [{}, { action: { $case: "sail", value: { island: 6 } } }],
    events: [{}],
  });
  function choose({ decision, observation, options, events, match }: PiratesCoveQuestion): number {
    assert.equal(decision, PiratesCove_Decision.NAVIGATE);
    assert.equal(observation.ships[match.seat]?.chests, 3);
    assert.equal(events.length, 1);
    // @ts-expect-error: a misspelt field is found by the compiler
    const misspelt: unknown = observation.shps;
    assert.equal(misspelt, undefined);
    return options.findIndex(({ action }) => action?.$case === "sail" && action.value.island === 6);
  }
  assert.equal(piratesCove(choose)(asked({ optionCount: 2, position: { $case: "piratesCove", value } })), 1);
});

test("a question of another game has nothing to see", () => {
  for (const choose of [
    pavillonNoir(({ options, optionCount }) => options.length + optionCount),
    broadsides(({ options, optionCount }) => options.length + optionCount),
    piratesCove(({ options, observation, optionCount }) => options.length + observation.ships.length + optionCount),
    marauders(({ options, optionCount }) => options.length + optionCount),
  ]) {
    assert.equal(choose(asked({ optionCount: 7 })), 7);
  }
});

test("the log names the question before its first line", () => {
  let log = "";
  const stream = { write: (text: string) => (log += text) };
  const other = { ...stream };
  const marks = new LogMarks();
  marks.takeOver(stream, other);
  marks.question("cove-7", 1, 1, () => {
    stream.write("one\n");
    stream.write("two\n");
  });
  marks.question("cove-7", 1, 2, () => undefined); // prints nothing: no mark
  stream.write("between questions\n");
  marks.question("cove-7", 1, 3, () => stream.write("three\n"));
  other.write("after it\n");
  assert.throws(() => marks.question("cove-7", 1, 4, () => assert.fail("at the fourth")));
  assert.deepEqual(log.split("\n").slice(0, -1), [
    "[tortuga cove-7 seat 1 question 1]",
    "one",
    "two",
    "[tortuga cove-7 seat 1 aside]",
    "between questions",
    "[tortuga cove-7 seat 1 question 3]",
    "three",
    "[tortuga cove-7 seat 1 aside]",
    "after it",
    "[tortuga cove-7 seat 1 question 4]",
  ]);
});
