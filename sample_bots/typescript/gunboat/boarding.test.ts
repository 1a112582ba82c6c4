/** Melees against odds counted by hand from the 36 throws of two dice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { melee } from "./boarding.js";

test("a melee of equals is even", () => {
  assert.ok(Math.abs(melee({ crew: 2, captain: 1 }, { crew: 2, captain: 1 })) < 1e-9);
});

test("two against one: 21 throws win, 5 cost one each, 10 lose a man and leave an even fight", () => {
  const expected = (21 - 10) / 36;
  assert.ok(Math.abs(melee({ crew: 2, captain: 0 }, { crew: 1, captain: 0 }) - expected) < 1e-9);
});

test("a captain alone is worth the risk of a man", () => {
  assert.ok(melee({ crew: 1, captain: 0 }, { crew: 0, captain: 1 }) > 5);
});
