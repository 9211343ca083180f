/** JSON-RPC calls and answers, as far as a lie reads them. */
export interface LiedCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** An answer without its envelope. */
export type Said = { readonly result: unknown } | { readonly error: { code: number; message: string; data?: unknown } };

/**
 * What a lying endpoint says instead of the truth. It passes everything else on to a real node, and answers as that does.
 * `Scene`: what the liar knows of the pass that it lies about.
 */
export interface Lie<Scene> {
  readonly name: string;
  /** Whether the liar must know the pass that it lies about. */
  readonly needsPass?: true;
  /** Whether the liar answers a sent transaction as usual and forwards it to nobody. */
  readonly swallowsSends?: true;
  /** Returns the call that the liar makes in place of this one. */
  ask?(call: LiedCall): LiedCall;
  /** Returns what the liar says; undefined: the truth. */
  answer?(call: LiedCall, truth: unknown, scene: Scene): Said | undefined;
}

export const say = (result: unknown): Said => ({ result });

/** Returns the calls that a liar makes in place of these. */
export function askWithLies<Scene>(lies: readonly Lie<Scene>[], call: LiedCall): LiedCall {
  return lies.reduce((asked, lie) => lie.ask?.(asked) ?? asked, call);
}

/** Returns what a liar says, given what the node said. Later lies build on earlier ones. */
export function answerWithLies<Scene>(lies: readonly Lie<Scene>[], call: LiedCall, truth: Said, scene: Scene): Said {
  return lies.reduce<Said>(
    (said, lie) => lie.answer?.(call, 'result' in said ? said.result : undefined, scene) ?? said,
    truth,
  );
}

/** Returns every pair of lies, except for two about the same thing. */
export function pairsOf<Scene>(lies: readonly Lie<Scene>[]): (readonly [Lie<Scene>, Lie<Scene>])[] {
  return lies.flatMap((first, index) =>
    lies.slice(index + 1).flatMap((second) => (topicOf(first) === topicOf(second) ? [] : [[first, second] as const])),
  );
}

/** A name is `<topic>: <lie>`. */
const topicOf = ({ name }: { readonly name: string }) => name.split(':')[0];
