/** Plays broadsides: keeps its guns on the enemy and its bow out of his, and boards only with the bigger crew. */
import { play } from "../sdk/index.js";
import { choose } from "./strategy.js";

play(choose, { name: "gunboat-typescript", games: ["broadsides"], omitEvents: true });
