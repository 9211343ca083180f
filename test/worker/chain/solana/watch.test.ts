import { AccountRole, type Address, type Instruction } from '@solana/kit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Step } from '../../../../src/pass/step.ts';
import { altering } from '../altered-nodes.ts';
import { issueAnother } from './issuing.ts';
import {
  acting,
  addressOf,
  advance,
  aStep,
  byGatekeeper,
  callDevnet,
  change,
  devnet,
  isTaken,
  makeSlotsByHand,
} from './node.ts';
import { aForeignToken, BURN, changeAsOther, EXPIRY, FREEZE, other, REVOKE, UNFREEZE } from './others.ts';
import { changesOf, holderOf, newestPlace, openAltered, scan, transactionsIn, watch } from './watching.ts';

/** The watch port on the localnet's node of `devnet`. */

makeSlotsByHand();

const { program } = devnet().network;

beforeEach(() => void vi.spyOn(console, 'log').mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

const updateExpiry = async (step: Step, expiry: number): Promise<Instruction> => {
  const { accounts, ...rest } = await change(step, FREEZE, { by: other });
  const data = new Uint8Array(9);
  data[0] = 3;
  new DataView(data.buffer).setBigInt64(1, BigInt(expiry), true);
  return { ...rest, accounts: accounts as never, data };
};

describe('changes by another gatekeeper', () => {
  it.each`
    deed          | state       | before      | name                | after
    ${'freeze'}   | ${FREEZE}   | ${[]}       | ${'TOKEN_FROZEN'}   | ${'FROZEN'}
    ${'unfreeze'} | ${UNFREEZE} | ${[FREEZE]} | ${'TOKEN_UNFROZEN'} | ${'ACTIVE'}
    ${'revoke'}   | ${REVOKE}   | ${[]}       | ${'TOKEN_REVOKED'}  | ${'REVOKED'}
  `('shows a $deed with its wallet, its state and its gatekeeper', async ({ state, before, name, after }) => {
    const step = await aForeignToken();
    for (const each of before) await changeAsOther(step, each);
    const { scanned, resolved } = await changesOf(() => changeAsOther(step, state));
    expect(scanned.changes).toMatchObject([{ type: 'transaction', contract: program }]);
    expect(resolved).toEqual([
      {
        ...scanned.changes[0],
        type: 'token',
        change: name,
        token: (await addressOf(step)).address,
        holder: holderOf(step),
        gatekeeper: other.gatekeeper.address,
        state: after,
        expiry: EXPIRY,
      },
    ]);
  });

  it('shows a new expiry', async () => {
    const step = await aForeignToken();
    const { resolved } = await changesOf(async () => byGatekeeper(await updateExpiry(step, EXPIRY - 5), other));
    expect(resolved).toMatchObject([
      { change: 'TOKEN_EXPIRY_CHANGED', holder: holderOf(step), state: 'ACTIVE', expiry: EXPIRY - 5 },
    ]);
  });

  it('shows an issuance', async () => {
    const step = aStep();
    const { resolved } = await changesOf(() => issueAnother(step, 0, EXPIRY, other));
    expect(resolved).toMatchObject([
      { change: 'TOKEN_ISSUED', holder: holderOf(step), gatekeeper: other.gatekeeper.address, state: 'ACTIVE' },
    ]);
  });

  it('shows a burn with the wallet that the issuance names', async () => {
    const step = await aForeignToken();
    await changeAsOther(step, FREEZE);
    const { resolved } = await changesOf(() => changeAsOther(step, BURN));
    expect(resolved).toMatchObject([
      { change: 'TOKEN_REVOKED', holder: holderOf(step), gatekeeper: other.gatekeeper.address, state: 'NONE' },
    ]);
  });

  it('shows a burn and a new issuance at the same address, with the token as it is now', async () => {
    const step = await aForeignToken();
    const { resolved } = await changesOf(async () => {
      await changeAsOther(step, BURN);
      await issueAnother(step, 0, EXPIRY + 1, other);
    });
    const now = { holder: holderOf(step), state: 'ACTIVE', expiry: EXPIRY + 1 };
    expect(resolved).toMatchObject([
      { change: 'TOKEN_REVOKED', ...now },
      { change: 'TOKEN_ISSUED', ...now },
    ]);
  });

  it('leaves out failed transactions', async () => {
    const step = await aForeignToken();
    const unfreeze = await change(step, UNFREEZE, { by: other });
    const { scanned } = await changesOf(async () => expect(await isTaken(unfreeze, other)).toBe(false));
    expect(scanned.changes).toEqual([]);
  });

  it('shows nothing of a transaction that only adds a gatekeeper or names the program', async () => {
    const naming = async () => {
      const { gatekeeper } = await acting(aStep(), other);
      const data = Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
      await byGatekeeper(
        {
          programAddress: '11111111111111111111111111111111' as Address,
          accounts: [
            { address: gatekeeper, role: AccountRole.WRITABLE_SIGNER },
            { address: gatekeeper, role: AccountRole.WRITABLE },
            { address: program as Address, role: AccountRole.READONLY },
          ],
          data,
        },
        other,
      );
    };
    const { scanned, resolved } = await changesOf(naming);
    expect(scanned.changes).toHaveLength(1);
    expect(resolved).toEqual([]);
  });
});

describe('the place of a scan', () => {
  it('is the newest confirmed slot, with the newest signature of the program', async () => {
    await aForeignToken();
    const { newest, confirmedAt, finalAt } = await scan(undefined);
    const [last] = await callDevnet<{ signature: string }[]>('getSignaturesForAddress', program, {
      commitment: 'confirmed',
      limit: 1,
    });
    expect(newest).toMatchObject({ at: confirmedAt, id: last?.signature });
    expect(finalAt).toBeLessThan(confirmedAt);
    expect(await scan(newest)).toMatchObject({ changes: [], newest: { id: newest.id } });
  });

  it('is kept if nothing happened, and no transaction is shown twice or lost behind it', async () => {
    const step = await aForeignToken();
    let after = await newestPlace();
    const seen: string[] = [];
    for (const state of [FREEZE, UNFREEZE, FREEZE] as const) {
      await changeAsOther(step, state);
      const scanned = await scan(after);
      seen.push(...transactionsIn(scanned).map(({ transaction }) => transaction));
      after = scanned.newest;
      await advance(3);
    }
    expect(new Set(seen).size).toBe(3);
    expect(seen).toHaveLength(3);
  });

  it('is so far behind that no transaction is lost which the node lists a minute late, at 150 ms per slot', async () => {
    const step = await aForeignToken();
    const quiet = await newestPlace();
    await changeAsOther(step, FREEZE);
    await advance(350);
    const { watch: late } = openAltered(altering('getSignaturesForAddress', () => []));
    const { newest } = await scan(quiet, { on: late });
    expect(newest).toMatchObject({ id: quiet.id });
    expect(newest.at - quiet.at).toBeGreaterThan(350);
    expect(transactionsIn(await scan(newest))).toHaveLength(1);
  });

  it('bounds the answer of a node that does not know its signature', async () => {
    const after = await newestPlace();
    await advance(450);
    const step = await aForeignToken();
    const unknown = { ...(await newestPlace()), id: after.id.split('').reverse().join('') };
    await changeAsOther(step, FREEZE);
    const list = 'getSignaturesForAddress';
    const everything = await callDevnet<unknown[]>(list, program, { commitment: 'confirmed' });
    const { watch: on } = openAltered(altering(list, () => everything));
    const found = transactionsIn(await scan(unknown, { on }));
    expect(found.length).toBeLessThanOrEqual(3);
    expect(found.length).toBeGreaterThan(0);
  });
});

it('a void token does not exist', async () => {
  const { key } = aStep();
  const gatekeeper = { contract: program, gatekeeperNetwork: key.gatekeeperNetwork, account: other.gatekeeper.address };
  expect(await watch.readRoles([gatekeeper])).toEqual(['held']);
});

it('the owner of a burned token is found among many transactions that only name its address', async () => {
  const step = await aForeignToken();
  const { address } = await addressOf(step);
  for (let n = 0; n < 7; n += 1) await changeAsOther(step, n % 2 === 0 ? FREEZE : UNFREEZE);
  const { resolved } = await changesOf(() => changeAsOther(step, BURN));
  expect(resolved).toMatchObject([{ token: address, holder: holderOf(step), state: 'NONE' }]);
});
