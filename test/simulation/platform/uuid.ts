import { v7 as real } from 'uuid';

/** Returns a UUID of version 7. The package keeps random bytes and the newest time from one world to the next; this one does not. */
export function v7(): string {
  return real({ random: crypto.getRandomValues(new Uint8Array(16)), msecs: Date.now() });
}
