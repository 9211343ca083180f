import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '@scure/base';

/** Finds secret bytes where a running service could have them: in memory, in the environment and in files. */

/** Secrets by name, each in the forms that programs use. */
export type Needles = ReadonlyMap<string, readonly Buffer[]>;

/** Returns the forms of secret bytes: themselves, in hex, in base64 and in base58. */
export function formsOf(secret: Uint8Array): Buffer[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  // The last character depends on what follows the bytes.
  const base64 = [bytes.toString('base64'), bytes.toString('base64url')].map((text) => text.replace(/.=*$/, ''));
  const texts = [hex, hex.toUpperCase(), ...base64, base58.encode(bytes), bytes.join(','), bytes.join(', ')];
  return [bytes, ...texts.map((text) => Buffer.from(text))];
}

const CHUNK_BYTES = 16 * 2 ** 20;
/** More than the longest form of a secret. */
const OVERLAP_BYTES = 1024;
/** A larger region is address space that the runtime has reserved. */
const REGION_MAX_BYTES = 2 ** 30;

/** Returns the names of the secrets in the memory and in the environment of a process, and how many bytes it has read. Linux only. */
export function searchProcess(pid: number, needles: Needles): { readonly found: Set<string>; readonly bytes: number } {
  const found = new Set(namesIn(readFileSync(`/proc/${pid}/environ`), needles));
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let bytes = 0;
  for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
    const [, from = '', to = ''] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
    const [begin, end] = [Number.parseInt(from, 16), Number.parseInt(to, 16)];
    if (from === '' || end - begin > REGION_MAX_BYTES) continue;
    for (let at = begin; at < end; at += CHUNK_BYTES - OVERLAP_BYTES) {
      const read = readAt(memory, chunk, at, Math.min(CHUNK_BYTES, end - at));
      bytes += read;
      for (const name of namesIn(chunk.subarray(0, read), needles)) found.add(name);
    }
  }
  closeSync(memory);
  return { found, bytes };
}

/** Returns the number of bytes; 0 if the region has gone. */
function readAt(memory: number, into: Buffer, at: number, length: number): number {
  try {
    return readSync(memory, into, 0, length, at);
  } catch {
    return 0;
  }
}

/** Returns the names of the secrets in the files below a folder, and the number of files. */
export function searchFiles(folder: string, needles: Needles): { readonly found: Set<string>; readonly files: number } {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const found = entries.flatMap((entry) => namesIn(readIfThere(join(entry.parentPath, entry.name)), needles));
  return { found: new Set(found), files: entries.length };
}

/** A database that is in use removes its journals. */
function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

function namesIn(bytes: Buffer, needles: Needles): string[] {
  return [...needles].filter(([, forms]) => forms.some((form) => bytes.includes(form))).map(([name]) => name);
}
