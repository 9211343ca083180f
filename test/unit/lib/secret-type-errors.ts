import type { Gatekeeper } from '../../../src/config/gatekeeper.ts';
import { type Secret, secret } from '../../../src/lib/secret.ts';
import { log, logFault } from '../../../src/log/log.ts';

/** Never runs. The type check fails if one of these lines compiles. */
export function expectTypeErrors(key: Secret<string>, gatekeeper: Gatekeeper<string>, bytes: Uint8Array): void {
  // @ts-expect-error: a log line must not contain a Secret
  log('x', { key });
  // @ts-expect-error: nor a list with a Secret
  log('x', { keys: [key] });
  // @ts-expect-error: nor an object with a Secret deep inside
  log('x', { signer: { gatekeeper } });
  // @ts-expect-error: an error may contain any value
  log('x', { fault: new Error('x') });
  // @ts-expect-error: bytes may be a key
  log('x', { bytes });
  // @ts-expect-error: an unknown value may be a secret
  log('x', { unknown: JSON.parse('{}') as unknown });
  // @ts-expect-error: a Secret is not a fault
  logFault('x', key);
  // @ts-expect-error: nor a field beside a fault
  logFault('x', new Error('x'), { key });
  // @ts-expect-error: only `secret` makes a Secret
  const forged: Secret<string> = () => 'planted';
  // @ts-expect-error: a Secret of a number is not a Secret of a string
  const other: Secret<string> = secret(7);
  // @ts-expect-error: fetch takes a string, not a Secret of a string
  fetch(key);
  log('x', { forged: forged.name, other: other.length });
}
