import { vi } from 'vitest';
import { PassObject } from '../../src/pass-object/pass-object.ts';
import { SignerObject } from '../../src/signer-object/signer-object.ts';

/**
 * Makes the alarms of all passes and signers do nothing until the returned function is called. On a busy machine they fire while a
 * test works, and then another delivery does a part of the work that the test counts.
 */
export function holdAlarms(): () => void {
  const alarms = [PassObject, SignerObject].map((each) => vi.spyOn(each.prototype, 'alarm').mockResolvedValue());
  return () => {
    for (const alarm of alarms) alarm.mockRestore();
  };
}
