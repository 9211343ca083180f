import { expect } from 'vitest';
import type { PassKey } from '../../../src/pass/pass.ts';
import type { Step } from '../../../src/pass/step.ts';
import { defaultContract } from '../../default-contract.ts';
import { eventually } from '../../eventually.ts';
import { aStep, byGatekeeper, change, devnet, untilConfirmed, untilFinal } from '../chain/solana/node.ts';
import { deliver, objectOf, processPass, recordOf } from '../consumer/deliver.ts';

/** Passes on devnet, and somebody else with the same key who changes their tokens. The test makes the blocks. */

/** The states of a token in an instruction; undefined: the token is burned. */
export const [FREEZE, UNFREEZE, REVOKE, BURN] = [1, 0, 2, undefined] as const;

export const stepOf = (key: PassKey): Step => ({ ...aStep(), key });

/** Returns the signature of the transaction, which has that version. */
export const changedByOther = async (key: PassKey, state: 0 | 1 | 2 | undefined, version: 0 | 1 = 0) =>
  byGatekeeper(await change(stepOf(key), state), devnet(), version);

/** UpdateExpiry of the program. */
export async function expiryChangedByOther(key: PassKey, expiry: number, version: 0 | 1 = 0): Promise<string> {
  const data = new Uint8Array(9);
  data[0] = 3;
  new DataView(data.buffer).setBigInt64(1, BigInt(expiry), true);
  return byGatekeeper({ ...(await change(stepOf(key), FREEZE)), data }, devnet(), version);
}

/** A pass whose token is final. */
export async function anActivePass(wallet?: string): Promise<PassKey> {
  const { key } = aStep(wallet === undefined ? {} : { wallet });
  await objectOf(key).issue({ key, contract: defaultContract(key), client: 'acme', waits: false });
  await eventually(async () => {
    await deliver(processPass(key));
    await untilConfirmed();
    expect((await recordOf(key))?.onChainState).toBe('ACTIVE');
  }, 50);
  await untilFinal();
  return key;
}
