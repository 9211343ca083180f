import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '@scure/base';

/**
 * Knows the secrets of a run, hears everything that is said where they must not show, and tells what of them was heard: in
 * upper and lower case, in each of the texts that their bytes are written as, and in pieces.
 */
export class Canary {
  /** What each is called, by the lower-case text that must not show. */
  readonly #secrets = new Map<string, string>();
  /** In lower case; what was said twice is kept once. */
  readonly #heard = new Set<string>();
  readonly #answers: Promise<void>[] = [];
  /** How much it has heard. */
  readonly counts = { lines: 0, responses: 0 };

  /** A secret that is a text, or bytes: nothing shorter than 8 of them. */
  plant(name: string, secret: string | Uint8Array): void {
    const bytes = Buffer.from(secret);
    const texts = typeof secret === 'string' ? [secret, encodeURIComponent(secret)] : [];
    this.plantTexts(name, [...texts, ...asText(bytes), ...(bytes.length <= 64 ? [base58.encode(bytes)] : [])]);
    this.#plantWhole(name, [bytes.join(','), bytes.join(', ')]);
  }

  /** Texts of which no piece may show either. */
  plantTexts(name: string, texts: readonly string[]): void {
    this.#plantWhole(name, texts.flatMap(piecesOf));
  }

  /** Signed bytes as they were handed to a node, in hex or in base64: all of them, or all but what they begin with. */
  plantSigned(bytes: string): void {
    const signed = bytes.startsWith('0x') ? Buffer.from(bytes.slice(2), 'hex') : Buffer.from(bytes, 'base64');
    this.#plantWhole('signed bytes', [signed, signed.subarray(signed.length / 2)].flatMap(asText));
  }

  #plantWhole(name: string, texts: readonly string[]): void {
    for (const text of texts) this.#secrets.set(text.toLowerCase(), name);
  }

  /** A line that the Worker, or who runs it, has printed. */
  line(line: string): void {
    this.counts.lines += 1;
    this.#heard.add(line.toLowerCase());
  }

  /** What is in the files of that folder, and of those in it. */
  filesIn(folder: string): void {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      this.#heard.add(readFileSync(join(entry.parentPath, entry.name), 'utf8').toLowerCase());
    }
  }

  async #response(response: Response): Promise<void> {
    this.counts.responses += 1;
    const { status, statusText, headers } = response;
    // Whoever answers may die in the middle of it.
    const body = await response.text().catch(() => '');
    for (const part of [`${status} ${statusText}`, ...[...headers].flat(), body]) this.#heard.add(part.toLowerCase());
  }

  /**
   * From now on everything that is fetched from there in this process is heard, and the tokens that are shown are secrets.
   * Returns how to end that.
   */
  listenTo(baseUrl: string): () => void {
    const real = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.startsWith(baseUrl)) return real(request);
      const [, token] = /^Bearer (.*)$/.exec(request.headers.get('authorization') ?? '') ?? [];
      if (token !== undefined) this.plantTexts('an access token', token.split('.').slice(2));
      const response = await real(request);
      this.#answers.push(this.#response(response.clone()));
      return response;
    };
    return () => {
      globalThis.fetch = real;
    };
  }

  /** Which secrets were heard, and in what. */
  async leaks(): Promise<string[]> {
    await Promise.all(this.#answers);
    const everything = [...this.#heard].join('\n');
    return [...this.#secrets].flatMap(([text, name]) => {
      const at = everything.indexOf(text);
      return at < 0 ? [] : [`${name}: ${everything.slice(Math.max(0, at - 100), at)}[here]`];
    });
  }
}

const PIECE = 12;

/** Wherever a long text is cut off: of 24 characters in a row that show, one of these is whole. */
function piecesOf(text: string): string[] {
  if (text.length < 2 * PIECE) return [text];
  return Array.from({ length: Math.floor(text.length / PIECE) }, (_, index) =>
    text.slice(index * PIECE).slice(0, PIECE),
  );
}

/** Bytes in hex and in base64, up to its padding. */
function asText(bytes: Buffer): string[] {
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
  return [bytes.toString('hex'), whole.toString('base64'), whole.toString('base64url')];
}
