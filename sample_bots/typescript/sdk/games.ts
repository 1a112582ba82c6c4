/**
 * Typed questions, game by game: the game's own messages are fields of the question, so an editor completes them and tsc
 * finds a misspelt one.
 *
 *     import { piratesCove, type PiratesCoveQuestion, play } from "./sdk/index.js";
 *
 *     function choose({ observation, options, match }: PiratesCoveQuestion): number {
 *       const mine = observation.ships[match.seat];
 *       …
 *     }
 *
 *     play(piratesCove(choose), { name: "mine", games: ["pirates_cove"] });
 *
 * The messages and enums are those of gen/tortuga/v1/pirates_cove.ts, e.g. `PiratesCove_Captain.BLACKBEARD`.
 */
import { Broadsides_Position } from "../gen/tortuga/v1/broadsides.js";
import { Marauders_Position } from "../gen/tortuga/v1/marauders.js";
import { PavillonNoir_Position } from "../gen/tortuga/v1/pavillon_noir.js";
import { PiratesCove_Position } from "../gen/tortuga/v1/pirates_cove.js";
import type { Choose, Question } from "./question.js";

type AnyPosition = NonNullable<Question["position"]>;
type Game = AnyPosition["$case"];
type Position<G extends Game> = Extract<AnyPosition, { $case: G }>["value"];

/** The position of a game, whose observation is always there. */
type Seen<G extends Game> = Readonly<Omit<Position<G>, "observation">> & {
  /** All that this seat may know. */
  readonly observation: NonNullable<Position<G>["observation"]>;
};

/** A question with the decision, observation, events and options of one game. */
export type GameQuestion<G extends Game, Memory = unknown> = Question<Memory> & Seen<G>;
export type PavillonNoirQuestion<Memory = unknown> = GameQuestion<"pavillonNoir", Memory>;
export type BroadsidesQuestion<Memory = unknown> = GameQuestion<"broadsides", Memory>;
export type PiratesCoveQuestion<Memory = unknown> = GameQuestion<"piratesCove", Memory>;
export type MaraudersQuestion<Memory = unknown> = GameQuestion<"marauders", Memory>;

/** What `play` takes, made of a function for one game. A question of another game has nothing to see and no options. */
type ForGame<G extends Game> = <Memory>(
  choose: (question: GameQuestion<G, Memory>) => number | "resign",
) => Choose<Memory>;

function forGame<G extends Game>(game: G, nothing: Position<G>): ForGame<G> {
  return (choose) => (question) => {
    const position = question.position?.$case === game ? (question.position.value as Position<G>) : nothing;
    const observation = position.observation ?? nothing.observation;
    return choose({ ...question, ...position, observation } as unknown as Parameters<typeof choose>[0]);
  };
}

export const pavillonNoir = forGame("pavillonNoir", PavillonNoir_Position.fromPartial({ observation: {} }));
export const broadsides = forGame("broadsides", Broadsides_Position.fromPartial({ observation: {} }));
export const piratesCove = forGame("piratesCove", PiratesCove_Position.fromPartial({ observation: {} }));
export const marauders = forGame("marauders", Marauders_Position.fromPartial({ observation: {} }));
