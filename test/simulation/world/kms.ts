import type { Hex } from 'viem';
import { sign } from 'viem/accounts';
import { AWS } from '../../../tools/localnet/kms/aws.ts';
import { KMS_REFERENCES } from '../../../tools/localnet/kms/gatekeepers.ts';
import { KEY_NAMES } from '../../../tools/localnet/kms/key-names.ts';
import { createKeys, type KmsKey, privateKeyOf } from '../../../tools/localnet/kms/keys.ts';
import type { Scheduler } from '../platform/scheduler.ts';

/** The KMS of a world: the localnet's without its server, and with the same signature for the same bytes each time. */

export const KMS_HOST = 'kms.example';

/** The variables of the Worker that keep the first key of each chain in the KMS. */
export const KMS_VARIABLES = {
  KMS_CREDENTIALS: JSON.stringify({
    aws: { accessKeyId: 'AKIASIMULATION', secretAccessKey: 'simulation', endpoint: `https://${KMS_HOST}` },
  }),
} as const;
export const KMS_KEYS = { ethereum: KMS_REFERENCES.ethereum.aws, solana: KMS_REFERENCES.solana.aws } as const;

const KEYS = new Map(createKeys().map((key) => [key.name, key]));
const SECRET: Hex = `0x${privateKeyOf(KEY_NAMES.aws.secp256k1).toString('hex')}`;

export class Kms {
  /** How long an answer takes. */
  delayMs = 100;
  /** Its fault; undefined: it has none. */
  fault: KmsFault | undefined;
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Answers a request of the Worker. */
  async answer(request: Request): Promise<Response> {
    const body = await bodyFor(request);
    await new Promise<void>((resolve) => void this.#scheduler.after(this.delayMs, 'the KMS', resolve));
    if (this.fault !== undefined) return answerWith(this.fault, body);
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  }
}

/** The faults of the KMS. */
export const KMS_FAULTS = ['throttle', 'deny', 'unavailable', 'hang', 'drop', 'malformed-signature'] as const;
export type KmsFault = (typeof KMS_FAULTS)[number];

function answerWith(fault: KmsFault, body: string): Response | Promise<Response> {
  if (fault === 'hang') return new Promise(() => {});
  if (fault === 'drop') throw new TypeError('Network connection lost.');
  if (fault === 'malformed-signature')
    return new Response(JSON.stringify({ ...JSON.parse(body), Signature: 'AAAA' }), { headers: JSON_TYPE });
  const [status, type, message] = AWS.refusals[fault];
  return new Response(JSON.stringify({ __type: type, message }), { status, headers: JSON_TYPE });
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Returns the body of the answer. */
async function bodyFor(request: Request): Promise<string> {
  const body = await request.text();
  const headers = Object.fromEntries(request.headers);
  const call = AWS.readCall({ method: request.method, url: '/', headers, body: Buffer.from(body) } as never);
  const key = KEYS.get(call.key) as KmsKey;
  const { KeyId, Message, SigningAlgorithm } = JSON.parse(body) as Readonly<Record<string, string>>;
  if (call.operation !== 'sign' || key.curve === 'ed25519') return JSON.stringify(call.answer(key, new Map()));
  const hash: Hex = `0x${Buffer.from(Message ?? '', 'base64').toString('hex')}`;
  const { r, s } = await sign({ hash, privateKey: SECRET });
  return JSON.stringify({ KeyId, Signature: derOf(r, s).toString('base64'), SigningAlgorithm });
}

/** Returns a signature in DER (RFC 3279 §2.2.3). */
function derOf(r: Hex, s: Hex): Buffer {
  const integers = [r, s].map((each) => {
    const hex = BigInt(each).toString(16);
    const bytes = Buffer.from(hex.length % 2 === 1 ? `0${hex}` : hex, 'hex');
    const digits = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
    return Buffer.concat([Buffer.of(2, digits.length), digits]);
  });
  const content = Buffer.concat(integers);
  return Buffer.concat([Buffer.of(0x30, content.length), content]);
}
