import { AccountRole, type Address, type Instruction } from '@solana/kit';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { openWatch } from '../../../../src/chain/open-watch.ts';
import { RpcFault } from '../../../../src/chain/port.ts';
import type { Place, Scan, TransactionChange, WatchPort } from '../../../../src/chain/watch-port.ts';
import type { EnabledSolana } from '../../../../src/config/signers.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { type Alteration, alteredNodes, altering, HONEST } from '../altered-nodes.ts';
import { issueAnother } from './issuing.ts';
import {
  acting,
  addressOf,
  advance,
  anotherGatekeeper,
  aStep,
  byGatekeeper,
  callDevnet,
  change,
  devnet,
  isTaken,
  untilConfirmed,
  untilFinal,
} from './node.ts';

/** The watch port on the localnet's node of `devnet`. */

const EXPIRY = 2_000_000_000;
const [FREEZE, UNFREEZE, REVOKE, BURN] = [1, 0, 2, undefined] as const;
const [NODE] = devnet().endpoints.map((endpoint) => endpoint()) as [string];
const { program } = devnet().network;

let by: EnabledSolana;
beforeAll(async () => {
  by = await anotherGatekeeper(inject('localnet').partners[0]?.gatekeeperNetwork as string);
});
beforeEach(() => void vi.spyOn(console, 'log').mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

const open = (endpoints = devnet().endpoints): WatchPort => openWatch(devnet().network, endpoints, {});
const watch = open();

function openAltered(...alterations: readonly Alteration[]) {
  const { urls, requests } = alteredNodes(NODE, ...alterations);
  return { watch: open(urls), requests };
}

type Scanned = Extract<Scan, { type: 'scanned' }>;

async function scan(
  after: Place | undefined,
  { on = watch, before, turn = 0 }: { on?: WatchPort; before?: Place | undefined; turn?: number } = {},
): Promise<Scanned> {
  const found = await on.scan({ after, before }, [], turn);
  if (found.type !== 'scanned') throw new Error(`not scanned: ${JSON.stringify(found)}`);
  return found;
}

const newestPlace = async () => (await scan(undefined)).newest;
const transactionsIn = ({ changes }: Scanned): TransactionChange[] =>
  changes.filter((each) => each.type === 'transaction');

/** Returns the changes of an action, as scan and resolution show them. */
async function changesOf(act: () => Promise<unknown>) {
  const after = await newestPlace();
  await act();
  const scanned = await scan(after);
  return { scanned, ...(await watch.resolve(transactionsIn(scanned), 0)) };
}

const changesAt = ([change]: readonly TransactionChange[]) => ({ transaction: change?.transaction, at: change?.at });
const holderOf = ({ key }: Step) => ({ gatekeeperNetwork: key.gatekeeperNetwork, wallet: key.wallet });
const does = async (step: Step, state: 0 | 1 | 2 | undefined) => byGatekeeper(await change(step, state, { by }), by);
const updateExpiry = async (step: Step, expiry: number): Promise<Instruction> => {
  const { accounts, ...rest } = await change(step, FREEZE, { by });
  const data = new Uint8Array(9);
  data[0] = 3;
  new DataView(data.buffer).setBigInt64(1, BigInt(expiry), true);
  return { ...rest, accounts: accounts as never, data };
};

async function aForeignToken(): Promise<Step> {
  const step = aStep();
  await issueAnother(step, 0, EXPIRY, by);
  return step;
}

describe('changes by another gatekeeper', () => {
  it.each`
    deed          | state       | before      | name                | after
    ${'freeze'}   | ${FREEZE}   | ${[]}       | ${'TOKEN_FROZEN'}   | ${'FROZEN'}
    ${'unfreeze'} | ${UNFREEZE} | ${[FREEZE]} | ${'TOKEN_UNFROZEN'} | ${'ACTIVE'}
    ${'revoke'}   | ${REVOKE}   | ${[]}       | ${'TOKEN_REVOKED'}  | ${'REVOKED'}
  `('shows a $deed with its wallet, its state and its gatekeeper', async ({ state, before, name, after }) => {
    const step = await aForeignToken();
    for (const each of before) await does(step, each);
    const { scanned, resolved } = await changesOf(() => does(step, state));
    expect(scanned.changes).toMatchObject([{ type: 'transaction', contract: program }]);
    expect(resolved).toEqual([
      {
        ...scanned.changes[0],
        type: 'token',
        change: name,
        token: (await addressOf(step)).address,
        holder: holderOf(step),
        gatekeeper: by.gatekeeper.address,
        state: after,
        expiry: EXPIRY,
      },
    ]);
  });

  it('shows a new expiry', async () => {
    const step = await aForeignToken();
    const { resolved } = await changesOf(async () => byGatekeeper(await updateExpiry(step, EXPIRY - 5), by));
    expect(resolved).toMatchObject([
      { change: 'TOKEN_EXPIRY_CHANGED', holder: holderOf(step), state: 'ACTIVE', expiry: EXPIRY - 5 },
    ]);
  });

  it('shows an issuance', async () => {
    const step = aStep();
    const { resolved } = await changesOf(() => issueAnother(step, 0, EXPIRY, by));
    expect(resolved).toMatchObject([
      { change: 'TOKEN_ISSUED', holder: holderOf(step), gatekeeper: by.gatekeeper.address, state: 'ACTIVE' },
    ]);
  });

  it('shows a burn with the wallet that the issuance names', async () => {
    const step = await aForeignToken();
    await does(step, FREEZE);
    const { resolved } = await changesOf(() => does(step, BURN));
    expect(resolved).toMatchObject([
      { change: 'TOKEN_REVOKED', holder: holderOf(step), gatekeeper: by.gatekeeper.address, state: 'NONE' },
    ]);
  });

  it('shows a burn and a new issuance at the same address, with the token as it is now', async () => {
    const step = await aForeignToken();
    const { resolved } = await changesOf(async () => {
      await does(step, BURN);
      await issueAnother(step, 0, EXPIRY + 1, by);
    });
    const now = { holder: holderOf(step), state: 'ACTIVE', expiry: EXPIRY + 1 };
    expect(resolved).toMatchObject([
      { change: 'TOKEN_REVOKED', ...now },
      { change: 'TOKEN_ISSUED', ...now },
    ]);
  });

  it('leaves out failed transactions', async () => {
    const step = await aForeignToken();
    const unfreeze = await change(step, UNFREEZE, { by });
    const { scanned } = await changesOf(async () => expect(await isTaken(unfreeze, by)).toBe(false));
    expect(scanned.changes).toEqual([]);
  });

  it('shows nothing of a transaction that only adds a gatekeeper or names the program', async () => {
    const naming = async () => {
      const { gatekeeper } = await acting(aStep(), by);
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
        by,
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
      await does(step, state);
      const scanned = await scan(after);
      seen.push(...transactionsIn(scanned).map(({ transaction }) => transaction));
      after = scanned.newest;
      await advance(3);
    }
    expect(new Set(seen).size).toBe(3);
    expect(seen).toHaveLength(3);
  });

  it('bounds the answer of a node that does not know its signature', async () => {
    const after = await newestPlace();
    await advance(200);
    const step = await aForeignToken();
    const unknown = { ...(await newestPlace()), id: after.id.split('').reverse().join('') };
    await does(step, FREEZE);
    const list = 'getSignaturesForAddress';
    const everything = await callDevnet<unknown[]>(list, program, { commitment: 'confirmed' });
    const { watch: on } = openAltered(altering(list, () => everything));
    const found = transactionsIn(await scan(unknown, { on }));
    expect(found.length).toBeLessThanOrEqual(3);
    expect(found.length).toBeGreaterThan(0);
  });
});

describe('the requests of a scan', () => {
  it('are one per scan, from each endpoint in turn', async () => {
    await untilConfirmed();
    const { watch: on, requests } = openAltered(HONEST, HONEST);
    let after = await newestPlace();
    for (let turn = 0; turn < 4; turn += 1) {
      await advance(2);
      after = (await scan(after, { on, turn })).newest;
    }
    expect(requests.map((each) => each.length)).toEqual([2, 2]);
  });

  it('are one to the next endpoint while the first one is behind', async () => {
    const step = await aForeignToken();
    const after = await newestPlace();
    await does(step, FREEZE);
    const behind = altering('getAccountInfo', (result) => ({ ...result, context: { slot: after.at - 5 } }));
    const { watch: on, requests } = openAltered(behind, HONEST);
    expect((await scan(after, { on })).changes).toHaveLength(1);
    expect(requests.map((each) => each.length)).toEqual([1, 1]);
  });

  it('lead back to an earlier place if every endpoint is behind', async () => {
    await untilConfirmed();
    const after = await newestPlace();
    const behind = altering('getAccountInfo', (result) => ({ ...result, context: { slot: after.at - 5 } }));
    const { watch: both } = openAltered(behind, behind);
    expect(await both.scan({ after }, [], 0)).toEqual({ type: 'reorged' });
    const future = { at: 1_000_000_000, id: after.id, time: 4_102_444_800 };
    expect(await watch.scan({ after: future }, [], 0)).toEqual({ type: 'reorged' });
    expect(await watch.scan({ after, before: future }, [], 0)).toEqual({ type: 'reorged' });
  });

  it('show no final slot beyond the confirmed one', async () => {
    const { watch: on } = openAltered(altering('getSlot', () => 1_000_000_000));
    const { confirmedAt, finalAt } = await scan(undefined, { on });
    expect(finalAt).toBe(confirmedAt);
  });

  it('are two for 1,500 new signatures, and nothing is read of the transactions', async () => {
    const after = await newestPlace();
    const step = await aForeignToken();
    await does(step, FREEZE);
    const real = await callDevnet<{ signature: string; slot: number }[]>('getSignaturesForAddress', program, {
      commitment: 'confirmed',
      limit: 2,
    });
    const spam = Array.from({ length: 1_500 }, (_, index) => ({
      ...real[0],
      signature: `${String(index).replaceAll('0', 'z').padStart(4, 'a')}${real[0]?.signature.slice(4)}`,
    }));
    const all = [...spam.slice(0, 1_490), ...real, ...spam.slice(1_490)];
    // The node of a chain with that much spam.
    const spammed: Alteration = {
      alter({ method, params }, answer) {
        if (method === 'getSignatureStatuses') return { result: { ...answer.result, value: [{ err: null }] } };
        if (method !== 'getSignaturesForAddress') return answer;
        const { before, limit } = params[1];
        const start = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1;
        return { result: all.slice(start, start + limit) };
      },
    };
    const { watch: on, requests } = openAltered(spammed);
    const first = await scan(after, { on });
    expect(first.changes).toHaveLength(1_000);
    const second = await scan(after, { on, before: first.left?.before });
    expect(second.left).toBeUndefined();
    expect(second.changes).toHaveLength(502);
    expect(requests[0]).toHaveLength(2);
    const found = [...transactionsIn(second), ...transactionsIn(first)].map(({ transaction }) => transaction);
    expect(found).toEqual(all.map(({ signature }) => signature).toReversed());
  });
});

describe('a node that lacks something', () => {
  const cutAt = (slot: number): Alteration => altering('getFirstAvailableBlock', () => slot);
  const anHourBefore = ({ time, ...place }: Place): Place => ({ ...place, time: time - 2 * 3_600 });

  it('reports a part of an old span as left, and as gone if no other endpoint has it', async () => {
    const after = anHourBefore(await newestPlace());
    await aForeignToken();
    await advance(20);
    const { watch: on } = openAltered(cutAt(after.at + 10));
    const first = await scan(after, { on });
    expect(first.left).toMatchObject({ after });
    expect(await on.scan({ after, before: first.left?.before }, [], 0)).toMatchObject({ type: 'gone' });
    const { watch: both } = openAltered(cutAt(after.at + 10), HONEST);
    expect(await both.scan({ after, before: first.left?.before }, [], 0)).toMatchObject({ type: 'scanned' });
  });

  it('is not asked for its first block if the span is new', async () => {
    const after = await newestPlace();
    await advance(5);
    const { watch: on, requests } = openAltered(HONEST);
    await scan(after, { on });
    expect(requests.flat(2).map(({ method }) => method)).not.toContain('getFirstAvailableBlock');
  });

  it('does not answer for a span that ends at a signature which it does not know', async () => {
    const after = await newestPlace();
    await aForeignToken();
    const newest = await newestPlace();
    const before = { ...newest, id: `${newest.id.slice(0, -3)}abc` };
    await expect(watch.scan({ after, before }, [], 0)).rejects.toThrow(RpcFault);
    await untilFinal();
    expect(await watch.scan({ after, before }, [], 0)).toEqual({ type: 'reorged' });
  });

  it('does not resolve a transaction that it does not know yet, and the next endpoint does', async () => {
    const step = await aForeignToken();
    const { scanned } = await changesOf(() => does(step, FREEZE));
    const without = altering('getTransaction', () => null);
    const changes = transactionsIn(scanned);
    const { watch: alone } = openAltered(without);
    expect(await alone.resolve(changes, 0)).toEqual({ resolved: [], unresolved: changes });
    const { watch: both } = openAltered(without, HONEST);
    expect(await both.resolve(changes, 0)).toMatchObject({ resolved: [{ state: 'FROZEN' }], unresolved: [] });
  });

  it('is asked after the other one in the next turn', async () => {
    const step = await aForeignToken();
    const { scanned } = await changesOf(() => does(step, FREEZE));
    const { watch: both, requests } = openAltered(HONEST, HONEST);
    await both.resolve(transactionsIn(scanned), 0);
    expect(requests.map((each) => each.length > 0)).toEqual([true, false]);
    await both.resolve(transactionsIn(scanned), 1);
    expect(requests.map((each) => each.length > 0)).toEqual([true, true]);
  });

  it('does not resolve anything while it is behind the changes', async () => {
    const step = await aForeignToken();
    const { scanned } = await changesOf(() => does(step, FREEZE));
    const [transaction] = transactionsIn(scanned) as [TransactionChange];
    const behind = altering('getSlot', () => transaction.at - 1);
    const { watch: alone } = openAltered(behind);
    await expect(alone.resolve([transaction], 0)).rejects.toThrow(RpcFault);
  });

  it('that does not list an issuance returns the burned token as unresolved, and resolves it later', async () => {
    const step = await aForeignToken();
    const { address } = await addressOf(step);
    const { scanned } = await changesOf(() => does(step, BURN));
    const changes = transactionsIn(scanned);
    const { watch: alone } = openAltered(altering('getSignaturesForAddress', (page) => page.slice(0, 1)));
    const { resolved, unresolved } = await alone.resolve(changes, 0);
    expect(resolved).toEqual([]);
    expect(unresolved).toMatchObject([
      { type: 'token', change: 'TOKEN_REVOKED', token: address, ...changesAt(changes) },
    ]);
    expect(await watch.resolve(unresolved, 1)).toMatchObject({
      resolved: [
        { change: 'TOKEN_REVOKED', token: address, holder: holderOf(step), state: 'NONE', ...changesAt(changes) },
      ],
      unresolved: [],
    });
  });

  it('returns a transaction whose fork was dropped as unresolved, beside the others', async () => {
    const step = await aForeignToken();
    const { scanned } = await changesOf(() => does(step, FREEZE));
    const [transaction] = transactionsIn(scanned) as [TransactionChange];
    await untilFinal();
    const dropped = { ...transaction, transaction: `${transaction.transaction.slice(0, -3)}abc` };
    expect(await watch.resolve([dropped, transaction], 0)).toMatchObject({
      resolved: [{ transaction: transaction.transaction }],
      unresolved: [dropped],
    });
  });
});

it('a void token does not exist', async () => {
  const { key } = aStep();
  const gatekeeper = { contract: program, gatekeeperNetwork: key.gatekeeperNetwork, account: by.gatekeeper.address };
  expect(await watch.hasVoidTokens(gatekeeper)).toBe(false);
});

it('the owner of a burned token is found among many transactions that only name its address', async () => {
  const step = await aForeignToken();
  const { address } = await addressOf(step);
  for (let n = 0; n < 7; n += 1) await does(step, n % 2 === 0 ? FREEZE : UNFREEZE);
  const { resolved } = await changesOf(() => does(step, BURN));
  expect(resolved).toMatchObject([{ token: address, holder: holderOf(step), state: 'NONE' }]);
});
