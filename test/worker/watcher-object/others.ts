import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { expect } from 'vitest';
import { changeData } from '../../../src/chain/ethereum/gateway.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import type { Step } from '../../../src/pass/step.ts';
import type { StepKind } from '../../../src/pass/step-kinds.ts';
import { eventually } from '../../eventually.ts';
import { tokenIdsOf } from '../chain/ethereum/issuing.ts';
import { aStep, callSepolia, mine } from '../chain/ethereum/node.ts';
import { accounts, mintAsOther, sendAs, setGatekeeper } from '../chain/ethereum/others.ts';
import { aRequestedPass, deliver, processPass, recordOf } from '../consumer/deliver.ts';

/** Passes on sepolia, and another gatekeeper that changes their tokens. */

const BURN = parseAbi(['function burn(uint256 tokenId)']);

export const stepOf = (key: PassKey): Step => ({ ...aStep(), key });

/** Makes another account a gatekeeper of the tests' gatekeeper network. Returns its address. */
export async function anOtherGatekeeper(): Promise<Hex> {
  const { other } = await accounts();
  await setGatekeeper(aStep(), other, true);
  return other;
}

const newestTokenOf = async (key: PassKey) => (await tokenIdsOf(stepOf(key))).at(-1) as bigint;

async function byOther(key: PassKey, data: Hex) {
  return sendAs((await accounts()).other, stepOf(key).contract, data);
}

export const changedByOther = async (key: PassKey, kind: StepKind, expiry?: number) =>
  byOther(key, changeData({ kind, expiry }, await newestTokenOf(key)));

export const burnedByOther = async (key: PassKey) =>
  byOther(key, encodeFunctionData({ abi: BURN, functionName: 'burn', args: [await newestTokenOf(key)] }));

export const mintedByOther = (key: PassKey, expiry?: number) => mintAsOther(stepOf(key), expiry);

/** A pass whose token is final. The test makes the blocks. */
export async function anActivePass(): Promise<PassKey> {
  const key = await aRequestedPass();
  await deliver(processPass(key));
  await mine();
  await eventually(async () => {
    await deliver(processPass(key));
    expect((await recordOf(key))?.onChainState).toBe('ACTIVE');
  }, 20);
  await mine(3);
  return key;
}

/** Lets time pass on chain, because blocks of the same second have the same time. */
export const passTime = () => callSepolia('evm_increaseTime', 5);
