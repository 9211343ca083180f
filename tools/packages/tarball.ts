import { gzipSync } from 'node:zlib';

export interface PackedFile {
  /** Path inside the package, with slashes. */
  readonly path: string;
  readonly content: Buffer;
  readonly isProgram: boolean;
}

const BLOCK = 512;
const NAME_MAX_BYTES = 100;
/** The time that `npm pack` gives to every file too: 1985-10-26T08:15:00Z. */
const MODIFIED_AT_SECONDS = 499_162_500;
/** Byte 9 of gzip (RFC 1952) names the system that packed. 255: unknown. */
const GZIP_SYSTEM_BYTE = 9;

/**
 * Returns the files as a package for npm: a gzipped ustar archive (POSIX.1-1988) whose files are under `package/`. The same files
 * give the same bytes: it contains no time, owner or path of the machine that packs.
 */
export function tarballOf(files: readonly PackedFile[]): Buffer {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const parts = sorted.flatMap(({ path, content, isProgram }) => [
    headerOf(`package/${path}`, content.length, isProgram ? 0o755 : 0o644),
    content,
    Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
  ]);
  const packed = gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 });
  packed[GZIP_SYSTEM_BYTE] = 255;
  return packed;
}

function headerOf(name: string, size: number, mode: number): Buffer {
  if (!/^[\w@./-]+$/.test(name) || name.length > NAME_MAX_BYTES) throw new Error(`a package cannot contain ${name}`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`;
  header.write(name, 0);
  header.write(octal(mode, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(MODIFIED_AT_SECONDS, 12), 136);
  // The checksum is computed over a header with spaces in its place.
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total: number, byte: number) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
