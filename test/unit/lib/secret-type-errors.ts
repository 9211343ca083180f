import type { Gatekeeper } from '../../../src/config/gatekeeper.ts';
import { type Secret, secret } from '../../../src/lib/secret.ts';
import { log, logFault } from '../../../src/log/log.ts';

/** Never runs. The type check fails if one of these lines compiles. */
export function expectTypeErrors(key: Secret<string>, gatekeeper: Gatekeeper<string>, bytes: Uint8Array): void {
  // @ts-expect-error: a log line must not contain a Secret
  log('request.answered', { key });
  // @ts-expect-error: a log line must not contain a list with a Secret
  log('request.answered', { keys: [key] });
  // @ts-expect-error: a log line must not contain an object with a Secret at any depth
  log('request.answered', { signer: { gatekeeper } });
  // @ts-expect-error: an error may contain any value
  log('request.answered', { fault: new Error('x') });
  // @ts-expect-error: bytes may be a key
  log('request.answered', { bytes });
  // @ts-expect-error: an unknown value may be a secret
  log('request.answered', { unknown: JSON.parse('{}') as unknown });
  // @ts-expect-error: a Secret is not a fault
  logFault('request.failed', key);
  // @ts-expect-error: a Secret must not be in a field beside a fault
  logFault('request.failed', new Error('x'), { key });
  // @ts-expect-error: only `secret` makes a Secret
  const forged: Secret<string> = () => 'planted';
  // @ts-expect-error: a Secret of a number is not a Secret of a string
  const other: Secret<string> = secret(7);
  // @ts-expect-error: fetch takes a string, not a Secret of a string
  fetch(key);
  log('request.answered', { forged: forged.name, other: other.length });
}
