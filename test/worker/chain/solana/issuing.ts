import type { Address } from '@solana/kit';
import { expect } from 'vitest';
import type { BlockReference, InFlightTransaction, Signed } from '../../../../src/chain/port.ts';
import { solana } from '../../../../src/chain/solana/adapter.ts';
import { issue, readToken } from '../../../../src/chain/solana/gateway.ts';
import { readAccounts } from '../../../../src/chain/solana/rpc.ts';
import type { EnabledSolana } from '../../../../src/config/signers.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { broadcastAll, prepareAll, trackAll } from '../ask.ts';
import { acting, addressOf, byGatekeeper, devnet, rpc, untilConfirmed, untilFinal } from './node.ts';

/** The adapter on the localnet's node, or on a modified one. */
export const open = (overrides: Partial<EnabledSolana> = {}) => solana({ ...devnet(), ...overrides });
export const chain = open();

/** Returns the result of preparing a step. */
export async function findingOf(step: Step) {
  const [result] = await prepareAll(chain, [step]);
  return result;
}

/** Returns the transaction of a ready step. */
export async function signed(step: Step): Promise<Signed> {
  const [result] = await prepareAll(chain, [step]);
  if (result?.type !== 'ready') throw new Error(`not ready: ${JSON.stringify(result)}`);
  return result.sign(undefined);
}

export async function sightingOf(step: Step, sent: Signed, includedIn?: InFlightTransaction['includedIn']) {
  const { identifier, lastValidBlockHeight } = sent;
  const [sighting] = await trackAll(chain, [
    { step, identifiers: [identifier], signedAtMs: Date.now(), lastValidBlockHeight, includedIn },
  ]);
  return sighting;
}

/** Issues a token for the step's wallet and waits until it is final. */
export async function issued(step: Step): Promise<void> {
  const sent = await signed(step);
  await broadcastAll(chain, [sent]);
  await untilFinal();
  expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
}

/** Gets a ready step into a block. */
export async function flown(step: Step): Promise<BlockReference> {
  const sent = await signed(step);
  await broadcastAll(chain, [sent]);
  await untilConfirmed();
  const sighting = await sightingOf(step, sent);
  if (sighting?.type !== 'confirmed') throw new Error(`not confirmed: ${JSON.stringify(sighting)}`);
  return sighting.includedIn;
}

/** Issues one more token for the step's wallet, directly as a gatekeeper. */
export async function issueAnother(step: Step, index: number, expiry?: number, by = devnet()): Promise<void> {
  const { wallet } = step.key;
  await byGatekeeper(
    issue(await acting(step, by), wallet as string as Address, await addressOf(step, index), expiry),
    by,
  );
}

/** Returns the account at an address of the step's wallet. */
export async function tokenOf(step: Step, index = 0) {
  const { address } = await addressOf(step, index);
  const { accounts } = await readAccounts(rpc(), [address], 'confirmed');
  const account = accounts.get(address);
  return account && { ...readToken(account.data), size: account.data.length };
}
