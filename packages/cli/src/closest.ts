import { closest, distance } from 'fastest-levenshtein';

/** Returns the candidate that a text probably means; undefined if none is close. */
export function closestTo(text: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const best = closest(
    text.toLowerCase(),
    candidates.map((each) => each.toLowerCase()),
  );
  const isClose = distance(text.toLowerCase(), best) <= Math.max(2, text.length / 3);
  return isClose ? candidates.find((each) => each.toLowerCase() === best) : undefined;
}

/** Returns the question that helps after a typo, or an empty text. */
export function suggestionFor(text: string, candidates: readonly string[]): string {
  const best = closestTo(text, candidates);
  return best === undefined ? '' : ` Did you mean ${best}?`;
}
