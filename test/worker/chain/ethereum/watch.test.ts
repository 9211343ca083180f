import { getAddress, type Hex } from 'viem';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TokenChange } from '../../../../src/chain/watch-port.ts';
import { slotOf } from '../../../../src/network/slot.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { altering } from '../altered-nodes.ts';
import { deployWithAdmin, upgrade } from './administered-contract.ts';
import { type Deed, expirationData, tokenData, tokenIdOf } from './issuing.ts';
import { aStep, callSepolia, makeBlocksByHand, mine, sepolia } from './node.ts';
import { accounts, mintAsOther, sendAs, setFeatures, setGatekeeper } from './others.ts';
import { newestPlace, openAltered, scan, tokensIn, watch } from './watching.ts';

/** The watch port on the real contract. The tests make the blocks. */

const EXPIRY = 2_000_000_000;
const { contract } = aStep();

makeBlocksByHand();
let other: Hex;
beforeAll(async () => {
  other = getAddress((await accounts()).other);
  await setGatekeeper(aStep(), other, true);
});
afterEach(() => void vi.restoreAllMocks());

/** Returns the changes of an action, as scan and resolution show them. */
async function changesOf(act: () => Promise<unknown>) {
  const after = await newestPlace();
  await act();
  const scanned = await scan(after);
  return { scanned, ...(await watch.resolve(tokensIn(scanned), 0)) };
}

async function aForeignToken(): Promise<{ readonly step: Step; readonly id: bigint }> {
  const step = aStep();
  await mintAsOther(step, EXPIRY);
  return { step, id: await tokenIdOf(step) };
}

const holderOf = ({ key }: Step) => ({ gatekeeperNetwork: key.gatekeeperNetwork, wallet: key.wallet });
const does = (deed: Deed, id: bigint) => sendAs(other, contract, tokenData(deed, id));

describe('changes by another gatekeeper', () => {
  it.each<[Deed, Deed[], string, string]>([
    ['freeze', [], 'TOKEN_FROZEN', 'FROZEN'],
    ['unfreeze', ['freeze'], 'TOKEN_UNFROZEN', 'ACTIVE'],
    ['revoke', [], 'TOKEN_REVOKED', 'REVOKED'],
  ])('shows a %s with its wallet, its state and its gatekeeper', async (deed, before, change, state) => {
    const { step, id } = await aForeignToken();
    for (const each of before) await does(each, id);
    let done: Awaited<ReturnType<typeof does>> | undefined;
    const { scanned, resolved } = await changesOf(async () => {
      done = await does(deed, id);
    });
    const found = { type: 'token', change, token: String(id), contract, ...done };
    expect(scanned.changes).toEqual([found]);
    expect(resolved).toEqual([{ ...found, holder: holderOf(step), gatekeeper: other, state, expiry: EXPIRY }]);
  });

  it('shows a new expiry', async () => {
    const { step, id } = await aForeignToken();
    const { resolved } = await changesOf(() => sendAs(other, contract, expirationData(id, EXPIRY - 5)));
    expect(resolved).toMatchObject([
      {
        change: 'TOKEN_EXPIRY_CHANGED',
        holder: holderOf(step),
        gatekeeper: other,
        state: 'ACTIVE',
        expiry: EXPIRY - 5,
      },
    ]);
  });

  it('shows a mint once, with the wallet of its log', async () => {
    const step = aStep();
    const { scanned, resolved } = await changesOf(() => mintAsOther(step, EXPIRY));
    expect(scanned.changes).toMatchObject([{ change: 'TOKEN_ISSUED', holder: holderOf(step) }]);
    expect(resolved).toMatchObject([{ holder: holderOf(step), gatekeeper: other, state: 'ACTIVE', expiry: EXPIRY }]);
  });

  it('shows a burn with the wallet of its log, and the new token beside it', async () => {
    const { step, id } = await aForeignToken();
    const { resolved } = await changesOf(async () => {
      await does('burn', id);
      await mintAsOther(step, EXPIRY + 1);
    });
    const newId = await tokenIdOf(step);
    expect(newId).not.toBe(id);
    expect(resolved).toMatchObject([
      { change: 'TOKEN_REVOKED', token: String(id), holder: holderOf(step), gatekeeper: other, state: 'NONE' },
      { change: 'TOKEN_ISSUED', token: String(newId), holder: holderOf(step), state: 'ACTIVE', expiry: EXPIRY + 1 },
    ]);
  });

  it('returns a freeze of a token that was burned later as unresolved, if no log of the span names its wallet', async () => {
    const { id } = await aForeignToken();
    const { scanned } = await changesOf(() => does('freeze', id));
    await does('burn', id);
    const changes = tokensIn(scanned);
    expect(await watch.resolve(changes, 0)).toEqual({ resolved: [], unresolved: changes, unread: [] });
  });

  it('names the gatekeeper network of each change of a token that is minted or burned in the same span', async () => {
    const { step, id } = await aForeignToken();
    const { scanned } = await changesOf(async () => {
      await does('freeze', id);
      await does('burn', id);
    });
    const { gatekeeperNetwork } = step.key;
    expect(scanned.changes).toMatchObject([
      { change: 'TOKEN_FROZEN', token: String(id), gatekeeperNetwork },
      { change: 'TOKEN_REVOKED', token: String(id), holder: { gatekeeperNetwork } },
    ]);
  });

  it('names the gatekeeper networks of tokens, as the endpoint of the turn shows them', async () => {
    const { step, id } = await aForeignToken();
    const token = {
      type: 'token',
      change: 'TOKEN_FROZEN',
      token: String(id),
      contract,
      transaction: '',
      at: 0,
    } as const;
    const asked = [token, { ...token, token: '999999999' }];
    const { at } = await newestPlace();
    const { gatekeeperNetwork } = step.key;
    expect(await watch.nameNetworks(asked, at, 0)).toEqual([gatekeeperNetwork, undefined]);
    const { watch: two } = openAltered(
      {},
      altering('eth_call', () => `0x${'0'.repeat(63)}2`),
    );
    expect(await two.nameNetworks(asked, at, 0)).toEqual([gatekeeperNetwork, undefined]);
    // The number 2 belongs to no gatekeeper network.
    expect(await two.nameNetworks(asked, at, 1)).toEqual([null, null]);
    const { watch: away } = openAltered({ refuse: () => new Response('no', { status: 503 }) }, {});
    expect(await away.nameNetworks(asked, at, 0)).toEqual([undefined, undefined]);
  });

  it('names no gatekeeper if the transaction called another contract', async () => {
    const { step } = await aForeignToken();
    const { transaction } = await sendAs(other, '0x000000000000000000000000000000000000bEEF', '0x');
    const { scanned } = await changesOf(() => mintAsOther(step));
    const [change] = tokensIn(scanned) as [TokenChange];
    const { resolved } = await watch.resolve([{ ...change, transaction }], 0);
    expect(resolved).toMatchObject([{ gatekeeper: undefined }]);
  });

  it('shows a role that was taken and given, and nothing of the role of an authority', async () => {
    const step = aStep();
    const { scanned } = await changesOf(async () => {
      await setGatekeeper(step, other, false);
      await setGatekeeper(step, other, true);
    });
    const role = { type: 'role', contract, gatekeeperNetwork: step.key.gatekeeperNetwork, account: other };
    expect(scanned.changes).toMatchObject([role, role]);
  });

  it('shows nothing of a slot that no gatekeeper network has', async () => {
    const { step, id } = await aForeignToken();
    const slot = `0x${(slotOf(step.key.gatekeeperNetwork) as bigint).toString(16).padStart(64, '0')}`;
    const { watch: altered } = openAltered(
      altering('eth_getLogs', (logs: { topics: string[] }[]) =>
        logs.map((log) => ({
          ...log,
          topics: log.topics.map((topic) => (topic === slot ? `0x${'9'.padStart(64, '0')}` : topic)),
        })),
      ),
    );
    const after = await newestPlace();
    await does('burn', id);
    expect((await scan(after, { on: altered })).changes).toEqual([]);
  });
});

it('shows that a contract has other code now', async () => {
  const administered = await deployWithAdmin();
  const { newest } = await scan(undefined);
  await upgrade(administered);
  const found = await watch.scan({ after: newest }, [contract, administered], 0);
  expect(found).toMatchObject({ changes: [{ type: 'upgraded', contract: administered }] });
  expect((await scan(newest)).changes).toEqual([]);
});

describe('the place of a scan', () => {
  it('is the newest block, and the confirmed and the final block follow from it', async () => {
    await mine(6);
    const { newest, confirmedAt, finalAt, changes } = await scan(undefined);
    const block = await callSepolia<{ number: Hex; hash: Hex; timestamp: Hex }>(
      'eth_getBlockByNumber',
      'latest',
      false,
    );
    expect(newest).toEqual({ at: Number(block.number), id: block.hash, time: Number(block.timestamp) });
    expect(confirmedAt).toBe(newest.at - sepolia().network.confirmations + 1);
    const { final } = sepolia().network;
    expect(finalAt).toBe(newest.at - ('depth' in final ? final.depth : Number.NaN));
    expect(changes).toEqual([]);
  });

  it('excludes the blocks of both ends', async () => {
    const { id } = await aForeignToken();
    const places = [];
    for (const deed of ['freeze', 'unfreeze', 'revoke'] as const) {
      await does(deed, id);
      places.push(await newestPlace());
    }
    const [after, , before] = places;
    const found = await scan(after, { before });
    expect(tokensIn(found)).toMatchObject([{ change: 'TOKEN_UNFROZEN' }]);
    expect(found.newest).toEqual(places[1]);
    expect((await scan(places[1], { before })).changes).toEqual([]);
  });

  it('is reported as reorged if its block left the chain', async () => {
    const { id } = await aForeignToken();
    const before = await newestPlace();
    await does('freeze', id);
    const after = await newestPlace();
    await callSepolia('anvil_reorg', 1, []);
    expect(await watch.scan({ after }, [contract], 0)).toEqual({ type: 'reorged' });
    expect((await scan(before)).changes).toEqual([]);
  });
});

describe('the role of a gatekeeper', () => {
  const gatekeeper = (step: Step) => ({ contract, gatekeeperNetwork: step.key.gatekeeperNetwork, account: other });

  it.each`
    isGatekeeper | mask  | role
    ${true}      | ${0n} | ${'held'}
    ${true}      | ${1n} | ${'held'}
    ${false}     | ${0n} | ${'lost'}
    ${false}     | ${1n} | ${'void'}
  `(
    'is $role, if it has the role: $isGatekeeper, and the network has the features $mask',
    async ({ isGatekeeper, mask, role }) => {
      const step = aStep();
      await setFeatures(step, mask);
      await setGatekeeper(step, other, isGatekeeper);
      await mine(sepolia().network.confirmations);
      expect(await watch.readRoles([gatekeeper(step)])).toEqual([role]);
      await setFeatures(step, 0n);
      await setGatekeeper(step, other, true);
      await mine(sepolia().network.confirmations);
    },
  );

  it('is void only if two endpoints show it, at the depth of confirmation', async () => {
    const step = aStep();
    await setFeatures(step, 1n);
    await setGatekeeper(step, other, false);
    const lie = altering('eth_call', () => `0x${'0'.repeat(64)}`);
    const { watch: two } = openAltered({}, {});
    const { watch: disputed } = openAltered({}, lie);
    const asked = [gatekeeper(step)];
    if (sepolia().network.confirmations > 1) expect(await two.readRoles(asked)).toEqual(['held']);
    await mine(sepolia().network.confirmations);
    expect(await two.readRoles(asked)).toEqual(['void']);
    // The lie is that the network has no feature.
    expect(await disputed.readRoles(asked)).toEqual([undefined]);
    await setFeatures(step, 0n);
    await setGatekeeper(step, other, true);
  });

  it('is unknown where no contract answers, which hides no other role', async () => {
    const step = aStep();
    const nowhere = { ...gatekeeper(step), contract: `0x${'1'.repeat(40)}` };
    expect(await watch.readRoles([nowhere, gatekeeper(step)])).toEqual([undefined, 'held']);
  });
});
