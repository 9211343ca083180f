import { BULK_BODY_MAX_BYTES } from '../../../src/http/protocol/json-body.ts';
import type { Fuzzed } from './fuzzed-requests.ts';

const TOO_MUCH = new Uint8Array(BULK_BODY_MAX_BYTES + 1).fill(0x20);

/** Returns the bytes of a body, and in `encoding` the Content-Encoding header. */
export async function bodyOf({
  text,
  as,
}: NonNullable<Fuzzed['body']>): Promise<{ body: BodyInit; encoding?: string }> {
  const bytes = new Uint8Array(new TextEncoder().encode(text));
  switch (as) {
    case 'as it is':
      return { body: bytes };
    case 'in chunks':
      return { body: inChunks(bytes) };
    case 'with a byte order mark':
      return { body: joined(new Uint8Array([0xef, 0xbb, 0xbf]), bytes) };
    case 'UTF-16':
      return { body: new Uint8Array(Uint16Array.from(text, (letter) => letter.charCodeAt(0)).buffer) };
    case 'not UTF-8':
      return { body: joined(bytes, new Uint8Array([0xc0, 0xaf])) };
    case 'cut off':
      return { body: bytes.slice(0, -1) };
    case 'twice':
      return { body: joined(bytes, bytes) };
    case 'compressed':
      return { body: await gzipped(bytes), encoding: 'gzip' };
    case 'compressed, without Content-Encoding':
      return { body: await gzipped(bytes) };
    case 'too long':
      return { body: joined(bytes, TOO_MUCH) };
    case 'too long, in chunks':
      return { body: inChunks(joined(bytes, TOO_MUCH)) };
    case 'without end':
      return { body: new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(4096).fill(0x20)) }) };
    case 'broken off':
      return { body: brokenOff(bytes) };
  }
}

function joined(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

async function gzipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function inChunks(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(stream) {
      const next = at === 0 ? 1 : at + 1000;
      stream.enqueue(bytes.slice(at, next));
      at = next;
      if (at >= bytes.length) stream.close();
    },
  });
}

/** The caller disconnects before the end. */
function brokenOff(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let sent = false;
  return new ReadableStream({
    pull(stream) {
      if (sent) stream.error(new Error('the caller disconnected'));
      else stream.enqueue(bytes.slice(0, Math.max(1, bytes.length >> 1)));
      sent = true;
    },
  });
}
