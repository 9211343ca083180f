import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '@scure/base';

/**
 * Finds planted secrets in lines, files and answers. It recognizes upper and lower case, each encoding of the bytes, and
 * pieces of a secret.
 */
export class Canary {
  /** The name of each secret, by the lower-case text that must not appear. */
  readonly #secrets = new Map<string, string>();
  /** The lower-case texts to search, each once. */
  readonly #texts = new Set<string>();
  readonly #answers: Promise<void>[] = [];
  /** The number of lines and responses that the canary has read. */
  readonly counts = { lines: 0, responses: 0 };

  /** Plants a secret text, or at least 8 secret bytes. */
  plant(name: string, secret: string | Uint8Array): void {
    const bytes = Buffer.from(secret);
    const texts = typeof secret === 'string' ? [secret, encodeURIComponent(secret)] : [];
    this.plantTexts(name, [...texts, ...encodingsOf(bytes), ...(bytes.length <= 64 ? [base58.encode(bytes)] : [])]);
    this.#plantWhole(name, [bytes.join(','), bytes.join(', ')]);
  }

  /** Plants texts. Their pieces must not appear either. */
  plantTexts(name: string, texts: readonly string[]): void {
    this.#plantWhole(name, texts.flatMap(piecesOf));
  }

  /** Plants signed bytes, given in hex or base64, whole and without their first half, which holds the public signature. */
  plantSigned(bytes: string): void {
    const signed = bytes.startsWith('0x') ? Buffer.from(bytes.slice(2), 'hex') : Buffer.from(bytes, 'base64');
    this.#plantWhole('signed bytes', [signed, signed.subarray(signed.length / 2)].flatMap(encodingsOf));
  }

  #plantWhole(name: string, texts: readonly string[]): void {
    for (const text of texts) this.#secrets.set(text.toLowerCase(), name);
  }

  /** Adds a printed line of the Worker or of wrangler. */
  addLine(line: string): void {
    this.counts.lines += 1;
    this.#texts.add(line.toLowerCase());
  }

  /** Adds the contents of all files below a folder. */
  addFilesIn(folder: string): void {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      this.#texts.add(readFileSync(join(entry.parentPath, entry.name), 'utf8').toLowerCase());
    }
  }

  async #addResponse(response: Response): Promise<void> {
    this.counts.responses += 1;
    const { status, statusText, headers } = response;
    // The Worker may be killed in the middle of an answer.
    const body = await response.text().catch(() => '');
    for (const part of [`${status} ${statusText}`, ...[...headers].flat(), body]) this.#texts.add(part.toLowerCase());
  }

  /**
   * Reads every answer that this process fetches from the origin from now on, and plants the access tokens of the requests.
   * Returns a function that stops the listening.
   */
  listenTo(baseUrl: string): () => void {
    const real = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.startsWith(baseUrl)) return real(request);
      const [, token] = /^Bearer (.*)$/.exec(request.headers.get('authorization') ?? '') ?? [];
      if (token !== undefined) this.plantTexts('an access token', token.split('.').slice(2));
      const response = await real(request);
      this.#answers.push(this.#addResponse(response.clone()));
      return response;
    };
    return () => {
      globalThis.fetch = real;
    };
  }

  /** Resolves to the secrets that appeared, each with the text before it. */
  async findLeaks(): Promise<string[]> {
    await Promise.all(this.#answers);
    const everything = [...this.#texts].join('\n');
    return [...this.#secrets].flatMap(([text, name]) => {
      const at = everything.indexOf(text);
      return at < 0 ? [] : [`${name}: ${everything.slice(Math.max(0, at - 100), at)}[here]`];
    });
  }
}

const PIECE_CHARACTERS = 12;

/** Splits a long text so that any 24 consecutive characters of it contain a whole piece. */
function piecesOf(text: string): string[] {
  if (text.length < 2 * PIECE_CHARACTERS) return [text];
  return Array.from({ length: Math.floor(text.length / PIECE_CHARACTERS) }, (_, index) =>
    text.slice(index * PIECE_CHARACTERS).slice(0, PIECE_CHARACTERS),
  );
}

/** Returns the bytes in hex and in both forms of base64, without the bytes that need padding. */
function encodingsOf(bytes: Buffer): string[] {
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
  return [bytes.toString('hex'), whole.toString('base64'), whole.toString('base64url')];
}
