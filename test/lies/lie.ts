/** The part of a JSON-RPC call that a lie reads. */
export interface LiedCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** An answer without its envelope. */
export type Said = { readonly result: unknown } | { readonly error: { code: number; message: string; data?: unknown } };

/**
 * A false answer of a lying endpoint. The endpoint forwards all other calls to a real node and returns the node's answers.
 * `Scene` holds the facts about the pass that the liar needs for its lie.
 */
export interface Lie<Scene> {
  readonly name: string;
  /** Whether the lie needs a pass in the scene. */
  readonly needsPass?: true;
  /** Whether the liar acknowledges a transaction and does not forward it to the node. */
  readonly swallowsSends?: true;
  /** Returns the call that the liar sends to the node instead of this one. */
  ask?(call: LiedCall): LiedCall;
  /** Returns the liar's answer, or undefined if the liar passes on the truth. */
  answer?(call: LiedCall, truth: unknown, scene: Scene): Said | undefined;
}

export const say = (result: unknown): Said => ({ result });

/** Returns the call that a liar with these lies sends to the node instead of this one. */
export function askWithLies<Scene>(lies: readonly Lie<Scene>[], call: LiedCall): LiedCall {
  return lies.reduce((asked, lie) => lie.ask?.(asked) ?? asked, call);
}

/** Returns the liar's answer, given the node's answer. Each lie takes the answer of the lies before it as the truth. */
export function answerWithLies<Scene>(lies: readonly Lie<Scene>[], call: LiedCall, truth: Said, scene: Scene): Said {
  return lies.reduce<Said>(
    (said, lie) => lie.answer?.(call, 'result' in said ? said.result : undefined, scene) ?? said,
    truth,
  );
}

/** Returns every pair of lies about different topics. */
export function pairsOf<Scene>(lies: readonly Lie<Scene>[]): (readonly [Lie<Scene>, Lie<Scene>])[] {
  return lies.flatMap((first, index) =>
    lies.slice(index + 1).flatMap((second) => (topicOf(first) === topicOf(second) ? [] : [[first, second] as const])),
  );
}

/** Returns the topic of a lie, whose name is `<topic>: <lie>`. */
const topicOf = ({ name }: { readonly name: string }) => name.split(':')[0];
