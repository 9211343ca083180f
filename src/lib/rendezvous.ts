/**
 * Returns the member for the subject by rendezvous hashing: the member with the highest hash of subject and name. Undefined
 * if there are no members. Each member gets an equal share of all subjects. A new member takes its share evenly from all
 * others, a removed member's share goes evenly to all others, and no other subject moves.
 */
export function chooseByRendezvous<T>(all: readonly T[], nameOf: (one: T) => string, subject: string): T | undefined {
  const start = fnv1a(subject);
  const weighed = all.map((one) => ({ one, name: nameOf(one), weight: finalizeHash(fnv1a(nameOf(one), start)) }));
  return weighed.toSorted((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1))[0]?.one;
}

/** Returns the 32-bit FNV-1a hash of an ASCII text. `start` is the hash of a preceding text. */
function fnv1a(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

/** Applies the finalizer of MurmurHash3, so that similar FNV hashes differ in every bit. Returns an unsigned number. */
function finalizeHash(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}
