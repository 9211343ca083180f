/**
 * Of these, the one that belongs to the subject (rendezvous hashing: each name is weighed beside the subject, the heaviest
 * wins). Each gets an equal share of all subjects; who joins takes its share from everybody alike, who leaves gives its own
 * to everybody alike, and no other subject changes hands. Undefined of none.
 */
export function chooseByRendezvous<T>(all: readonly T[], nameOf: (one: T) => string, subject: string): T | undefined {
  const start = fnv1a(subject);
  const weighed = all.map((one) => ({ one, name: nameOf(one), weight: finalizeHash(fnv1a(nameOf(one), start)) }));
  return weighed.toSorted((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1))[0]?.one;
}

/** FNV-1a in 32 bits, of a text in ASCII; going on from that of another text, if there is one. */
function fnv1a(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

/** The finalizer of MurmurHash3: what FNV leaves much alike differs in every bit then. Unsigned. */
function finalizeHash(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}
