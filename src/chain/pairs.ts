/** Each asked item with its answer. The caller gets its own objects back, so nothing depends on positions. */
export type Pairs<Asked, Answer> = readonly (readonly [asked: Asked, answer: Answer])[];

/** Pairs two lists of the same order. Throws if their lengths differ, because answers would belong to the wrong items. */
export function pairUp<Asked, Answer>(asked: readonly Asked[], answers: readonly Answer[]): Pairs<Asked, Answer> {
  if (asked.length !== answers.length) throw new Error(`${answers.length} answers to ${asked.length} questions`);
  return answers.map((answer, index) => [asked[index] as Asked, answer]);
}

/** Pairs every item with the same answer. */
export function pairAll<Asked, Answer>(asked: readonly Asked[], answer: Answer): Pairs<Asked, Answer> {
  return asked.map((each) => [each, answer]);
}
