import { vi } from 'vitest';
import { PassObject } from '../../src/pass-object/pass-object.ts';
import { SignerObject } from '../../src/signer-object/signer-object.ts';

/**
 * Makes the alarms of all passes and signers do nothing until the returned function is called, and freezes and revocations wait for
 * messages. On a busy machine alarms fire while a test works, and then another delivery does a part of the work that the test counts.
 */
export function holdAlarms(): () => void {
  const held = [
    ...[PassObject, SignerObject].map((each) => vi.spyOn(each.prototype, 'alarm').mockResolvedValue()),
    vi.spyOn(PassObject.prototype, 'hurry').mockResolvedValue(),
  ];
  return () => {
    for (const each of held) each.mockRestore();
  };
}
