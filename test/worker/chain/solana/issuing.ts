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

/** The adapter on the localnet's node, or on what is different from it. */
export const open = (overrides: Partial<EnabledSolana> = {}) => solana({ ...devnet(), ...overrides });
export const chain = open();

/** What a look says of a step. */
export async function findingOf(step: Step) {
  const [result] = await prepareAll(chain, [step]);
  return result;
}

/** The transaction of a step that is ready. */
export async function signed(step: Step): Promise<Signed> {
  const [result] = await prepareAll(chain, [step]);
  if (result?.type !== 'ready') throw new Error(`not ready: ${JSON.stringify(result)}`);
  return result.sign(undefined);
}

export async function sightingOf(step: Step, sent: Signed, includedIn?: InFlightTransaction['includedIn']) {
  const { identifier, lastValidBlockHeight } = sent;
  const [sighting] = await trackAll(chain, [{ step, identifiers: [identifier], lastValidBlockHeight, includedIn }]);
  return sighting;
}

/** Issues a token for the step's wallet and waits until it stays for ever. */
export async function issued(step: Step): Promise<void> {
  const sent = await signed(step);
  await broadcastAll(chain, [sent]);
  await untilFinal();
  expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
}

/** Brings a step that is ready into a block. */
export async function flown(step: Step): Promise<BlockReference> {
  const sent = await signed(step);
  await broadcastAll(chain, [sent]);
  await untilConfirmed();
  const sighting = await sightingOf(step, sent);
  if (sighting?.type !== 'confirmed') throw new Error(`not confirmed: ${JSON.stringify(sighting)}`);
  return sighting.includedIn;
}

/** One more token of the step's wallet, by a gatekeeper directly. */
export async function issueAnother(step: Step, index: number, expiry?: number, by = devnet()): Promise<void> {
  const { wallet } = step.key;
  await byGatekeeper(
    issue(await acting(step, by), wallet as string as Address, await addressOf(step, index), expiry),
    by,
  );
}

/** What is at an address of the step's wallet. */
export async function tokenOf(step: Step, index = 0) {
  const { address } = await addressOf(step, index);
  const { accounts } = await readAccounts(rpc(), [address], 'confirmed');
  const account = accounts.get(address);
  return account && { ...readToken(account.data), size: account.data.length };
}
