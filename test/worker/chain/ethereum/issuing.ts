import { decodeEventLog, decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import { expect } from 'vitest';
import { ethereum } from '../../../../src/chain/ethereum/adapter.ts';
import { mintData } from '../../../../src/chain/ethereum/gateway.ts';
import type { BlockReference, InFlightTransaction, Signed } from '../../../../src/chain/port.ts';
import type { EnabledEthereum } from '../../../../src/config/signers.ts';
import { slotOf } from '../../../../src/network/slot.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { broadcastAll, prepareAll, trackAll } from '../ask.ts';
import { byGatekeeper, callSepolia, mine, sepolia } from './node.ts';

/** The adapter on the localnet's node, or on a modified one. */
export const open = (overrides: Partial<EnabledEthereum> = {}) => ethereum({ ...sepolia(), ...overrides }, slotOf);
export const chain = open();

/** Returns the result of preparing a step. */
export async function findingOf(step: Step, on = chain) {
  const [result] = await prepareAll(on, [step]);
  return result;
}

/** Returns the transaction of a ready step. `skipped` nonces are left to others. */
export async function signed(step: Step, skipped = 0, on = chain): Promise<Signed> {
  const { results, nonces } = await on.prepare([{ step }], 0);
  const result = results[0]?.[1];
  if (result?.type !== 'ready') throw new Error(`not ready: ${JSON.stringify(result)}`);
  return result.sign((nonces?.pending ?? 0) + skipped);
}

export const flight = (
  step: Step,
  { identifier }: Signed,
  includedIn?: InFlightTransaction['includedIn'],
): InFlightTransaction => ({
  step,
  identifiers: [identifier],
  signedAtMs: Date.now(),
  includedIn,
});

export async function sightingOf(step: Step, sent: Signed, includedIn?: InFlightTransaction['includedIn']) {
  const [sighting] = await trackAll(chain, [flight(step, sent, includedIn)]);
  return sighting;
}

/** Gets a ready step into a block. */
export async function flown(step: Step, on = chain): Promise<BlockReference> {
  const sent = await signed(step, 0, on);
  await broadcastAll(chain, [sent]);
  await mine();
  const sighting = await sightingOf(step, sent);
  if (sighting?.type !== 'confirmed') throw new Error(`not confirmed: ${JSON.stringify(sighting)}`);
  return sighting.includedIn;
}

/** Issues a token for the step's wallet and waits until it can no longer leave the chain. */
export async function issued(step: Step): Promise<void> {
  const sent = await signed(step);
  await broadcastAll(chain, [sent]);
  await mine(4);
  expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
}

/** Issues one more token for the step's wallet, directly as the gatekeeper. */
export const mintAnother = ({ key, contract }: Step, expiry?: number) =>
  byGatekeeper(mintData(key.wallet, slotOf(key.gatekeeperNetwork) as bigint, expiry), contract);

const ABI = parseAbi([
  'function getTokenIdsByOwnerAndNetwork(address,uint256,bool) view returns (uint256[])',
  'function getToken(uint256) view returns (address, uint8, string, uint256, uint256)',
  'function freeze(uint256)',
  'function unfreeze(uint256)',
  'function revoke(uint256)',
  'function burn(uint256)',
  'function setExpiration(uint256, uint256, (uint256, uint8, address, address, address)) payable',
]);

export type Deed = 'freeze' | 'unfreeze' | 'revoke' | 'burn';

/** Returns the contract call of an operation on a token. */
export const tokenData = (functionName: Deed, id: bigint) => encodeFunctionData({ abi: ABI, functionName, args: [id] });

const NOBODY = `0x${'0'.repeat(40)}` as const;

export const expirationData = (id: bigint, expiry: number) =>
  encodeFunctionData({
    abi: ABI,
    functionName: 'setExpiration',
    args: [id, BigInt(expiry), [0n, 0, NOBODY, NOBODY, NOBODY]],
  });

const ask = (to: string, data: string) => callSepolia<`0x${string}`>('eth_call', { to, data }, 'latest');

/** Returns the tokens of the step's wallet, oldest first. */
export async function tokenIdsOf({ key, contract }: Step): Promise<readonly bigint[]> {
  const functionName = 'getTokenIdsByOwnerAndNetwork';
  const args = [key.wallet as `0x${string}`, slotOf(key.gatekeeperNetwork) as bigint, false] as const;
  const data = await ask(contract, encodeFunctionData({ abi: ABI, functionName, args }));
  return decodeFunctionResult({ abi: ABI, functionName, data });
}

/** Returns the newest token of the step's wallet. */
export async function tokenIdOf(step: Step): Promise<bigint> {
  return (await tokenIdsOf(step)).at(-1) as bigint;
}

/** Returns the contract's data of every token of the step's wallet; an expiry of 0 is none. */
export async function tokensOf(step: Step): Promise<{ state: string | undefined; expiry: number }[]> {
  const functionName = 'getToken';
  return Promise.all(
    (await tokenIdsOf(step)).map(async (id) => {
      const data = await ask(step.contract, encodeFunctionData({ abi: ABI, functionName, args: [id] }));
      const [, state, , expiration] = decodeFunctionResult({ abi: ABI, functionName, data });
      return { state: ['ACTIVE', 'FROZEN', 'REVOKED'][state], expiry: Number(expiration) };
    }),
  );
}

const EVENTS = parseAbi([
  'event Freeze(uint256 indexed tokenId)',
  'event Unfreeze(uint256 indexed tokenId)',
  'event Revoke(uint256 indexed tokenId)',
  'event Expiration(uint256 indexed tokenId, uint256 timestamp)',
]);

interface Receipt {
  readonly logs: readonly { topics: [`0x${string}`, ...`0x${string}`[]]; data: `0x${string}` }[];
}

/** Returns the token events in a transaction's receipt. */
export async function eventsOf({ identifier }: Signed) {
  const { logs } = await callSepolia<Receipt>('eth_getTransactionReceipt', identifier);
  return logs.map(({ topics, data }) => {
    const { eventName, args } = decodeEventLog({ abi: EVENTS, topics, data });
    return { eventName, ...args };
  });
}
