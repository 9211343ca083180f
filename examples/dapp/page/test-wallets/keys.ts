/** The keys of the test wallets live in the browser's storage, so that a reload keeps them. They are worth nothing. */

/** Returns the stored seeds, in hex. Makes the first ones. */
export function storedSeeds(name: string, count: number): string[] {
  const stored = JSON.parse(localStorage.getItem(name) ?? '[]') as string[];
  while (stored.length < count) {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    stored.push([...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(''));
  }
  localStorage.setItem(name, JSON.stringify(stored));
  return stored;
}
