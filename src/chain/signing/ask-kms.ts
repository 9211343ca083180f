import { decodeBase64 } from '../../lib/bytes.ts';
import { SECOND_MS } from '../../lib/units.ts';
import { abortAfter } from '../../lib/with-timeout.ts';
import type { KmsCode } from '../../pass/wait-reasons.ts';
import { redact } from '../json-rpc-batch.ts';
import { KmsFault } from '../port.ts';

/** Long for a KMS, which answers within 100 ms. A signer has nothing else to do without a signature. */
const TIMEOUT_MS = 5 * SECOND_MS;
/** A signature or a public key has a few hundred characters. */
const ANSWER_MAX_CHARS = 20_000;

export interface KmsRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>> | Headers;
  readonly body?: string | undefined;
  /** The credentials of the request, which no log may contain. */
  readonly secrets: string;
  /** Returns the vendor's code and text of an error. */
  readonly errorIn: (answer: KmsAnswer) => { readonly code: string; readonly text: string };
}

/** The JSON object that a KMS answers. */
export type KmsAnswer = Readonly<Record<string, unknown>>;

/**
 * Sends one request, once: the signer itself retries, so that its waiting shows. Throws KmsFault, also for a redirect: the
 * request is for this KMS only.
 */
export async function askKms({ url, secrets, errorIn, ...init }: KmsRequest): Promise<KmsAnswer> {
  let status: number;
  let text: string;
  try {
    [status, text] = await abortAfter(TIMEOUT_MS, async (signal) => {
      const response = await fetch(url, { ...init, body: init.body ?? null, redirect: 'manual', signal });
      return [response.status, await readText(response)] as const;
    });
  } catch (fault) {
    const isLate = Object(fault).name === 'TimeoutError';
    throw new KmsFault('kms-unanswered', isLate ? 'no answer in time' : 'no connection');
  }
  const answer = parseObject(text);
  if (status === 200) {
    if (answer === undefined) throw new KmsFault('kms-wrong-answer', 'its answer is no JSON object');
    return answer;
  }
  const error = answer === undefined ? { code: '', text: '' } : errorIn(answer);
  throw new KmsFault(codeOf(status, error.code), redact(secrets, `HTTP ${status} ${error.code} ${error.text}`.trim()));
}

/** AWS answers 400 to most errors. Any other error is a request that the KMS understood and refused. */
function codeOf(status: number, code: string): KmsCode {
  if (status === 429 || /Throttling|LimitExceeded|RESOURCE_EXHAUSTED/.test(code)) return 'kms-throttled';
  return status >= 400 && status < 500 && status !== 408 ? 'kms-denied' : 'kms-unanswered';
}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > ANSWER_MAX_CHARS) break;
  }
  return text;
}

function parseObject(text: string): KmsAnswer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as KmsAnswer) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the text or number in a field, else nothing: an object may have no text at all, and would throw. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Returns the bytes of a field in base64. Throws KmsFault if it has none. */
export function bytesOf(value: unknown): Uint8Array {
  if (typeof value === 'string' && value !== '') {
    try {
      return decodeBase64(value);
    } catch {
      // The fault below says it.
    }
  }
  throw new KmsFault('kms-wrong-answer', 'its answer lacks bytes in base64');
}

/** One key in a KMS, as its vendor's interface offers it. The methods throw KmsFault. */
export interface KmsClient {
  /** Returns the signature in the vendor's form: DER on secp256k1, 64 bytes on Ed25519. Nobody has checked it. */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
  /** Returns the public key in DER (SubjectPublicKeyInfo). */
  publicKey(): Promise<Uint8Array>;
}
