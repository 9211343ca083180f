import type { Gatekeeper } from '../../../src/config/gatekeeper.ts';
import { type Secret, secret } from '../../../src/lib/secret.ts';
import { log, logFault } from '../../../src/log/log.ts';

/** Never run: that these do not compile is what is shown. An expectation that is not met fails the type check. */
export function noneOfTheseCompiles(key: Secret<string>, gatekeeper: Gatekeeper<string>, bytes: Uint8Array): void {
  // @ts-expect-error: a Secret is no fact
  log('x', { key });
  // @ts-expect-error: nor in a list
  log('x', { keys: [key] });
  // @ts-expect-error: nor deep in an object
  log('x', { signer: { gatekeeper } });
  // @ts-expect-error: an error may hold anything
  log('x', { fault: new Error('x') });
  // @ts-expect-error: bytes may be a key
  log('x', { bytes });
  // @ts-expect-error: who does not know what it is cannot show it
  log('x', { unknown: JSON.parse('{}') as unknown });
  // @ts-expect-error: a Secret is no fault
  logFault('x', key);
  // @ts-expect-error: nor a fact of one
  logFault('x', new Error('x'), { key });
  // @ts-expect-error: a function that was not made by `secret` is no Secret
  const forged: Secret<string> = () => 'planted';
  // @ts-expect-error: nor is a Secret of something else one of this
  const other: Secret<string> = secret(7);
  // @ts-expect-error: a text is wanted, not a Secret of one
  fetch(key);
  log('x', { forged: forged.name, other: other.length });
}
