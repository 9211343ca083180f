import { expect } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import type { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { LIFE_STAGES, runStage } from '../../../tools/localnet/partner/pass-life.ts';
import type { ChainWitness } from '../chain-witness.ts';
import { pollUntil } from '../poll-until.ts';

/** Takes a pass through all stages. Each must take one transaction, and the chain must agree with the record. */
export async function expectWholeLife(partner: LocalnetPartner, chain: ChainWitness, network: string): Promise<void> {
  const wallet = freshWallet(network);
  const sent: string[] = [];
  for (const stage of LIFE_STAGES) {
    const pass = await runStage(stage, partner, network, wallet);
    const identifier = pass.events.at(-1)?.transaction?.identifier ?? 'none';
    const transaction = { identifier, status: 'confirmed' };
    sent.push(identifier);

    expect(pass).toMatchObject({ state: stage.state, onChainState: stage.state });
    expect(pass.events).toHaveLength(2 * sent.length);
    expect(pass.events.slice(-2)).toMatchObject([
      { eventType: `${stage.change}_INITIATED`, transaction },
      { eventType: stage.change, transaction },
    ]);
    expect(await chain.transactionsAbout(network, wallet)).toEqual(sent);
    expect(await chain.succeeded(network, identifier)).toBe(true);
    expect(await chain.token(network, wallet)).toEqual({ state: stage.state, expiry: pass.expiryTimestamp });
    expect(await chain.accepts(network, wallet)).toBe(stage.accepted);
  }
  const end = await partner.fetch(network, wallet);
  expect(await partner.revoke(network, wallet)).toEqual(end);
  const isOver = { status: 409, problem: { code: 'pass_revoked' } };
  await expect(partner.issue(network, wallet)).rejects.toMatchObject(isOver);
  await expect(partner.update(network, wallet, { state: 'ACTIVE' })).rejects.toMatchObject(isOver);
}

/** Issues a pass, and after its expiry issues it again: the same pass and the same token get a later expiry. */
export async function expectRenewal(fleeting: LocalnetPartner, chain: ChainWitness, network: string): Promise<void> {
  const wallet = freshWallet(network);
  await fleeting.issue(network, wallet);
  const first = await fleeting.untilSettled(network, wallet);
  expect(first.expiryTimestamp).toBeTypeOf('number');
  expect(await chain.token(network, wallet)).toEqual({ state: 'ACTIVE', expiry: first.expiryTimestamp });
  expect(await chain.accepts(network, wallet)).toBe(true);

  await chain.makeFinal(network);
  await pollUntil(
    () => chain.accepts(network, wallet),
    (accepted) => !accepted,
  );
  // The service renews the pass only after its own clock has passed the expiry.
  const since = await pollUntil(
    () => fleeting.issue(network, wallet),
    ({ expiryTimestamp }) => expiryTimestamp !== first.expiryTimestamp,
  );
  const pass = await fleeting.untilSettled(network, wallet, { ended: { change: 'TOKEN_EXPIRY_CHANGED', since } });
  expect(await chain.accepts(network, wallet)).toBe(true);
  expect(await chain.token(network, wallet)).toEqual({ state: 'ACTIVE', expiry: pass.expiryTimestamp });
  expect(pass.expiryTimestamp).toBeGreaterThan(first.expiryTimestamp ?? 0);
  expect(pass.id).toBe(first.id);
  // The announcement of the old expiry comes at a random second after it: before the renewal, during it, or not at all.
  const changes = pass.events.map(({ eventType }) => eventType).filter((type) => type !== 'TOKEN_EXPIRED');
  expect(changes).toEqual([
    'TOKEN_ISSUED_INITIATED',
    'TOKEN_ISSUED',
    'TOKEN_EXPIRY_CHANGED_INITIATED',
    'TOKEN_EXPIRY_CHANGED',
  ]);
  expect(await chain.transactionsAbout(network, wallet)).toHaveLength(2);
}
