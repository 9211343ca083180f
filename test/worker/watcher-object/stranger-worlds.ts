import { runInDurableObject } from 'cloudflare:test';
import fc from 'fast-check';
import { expect, inject } from 'vitest';
import { changeData } from '../../../src/chain/ethereum/gateway.ts';
import { CIVIC_CONTRACT } from '../../default-contract.ts';
import { callSepolia, mine } from '../chain/ethereum/node.ts';
import { accounts, sendAs } from '../chain/ethereum/others.ts';
import { coverageOf, TestWatcher } from './a-watcher.ts';
import { aPartnerIn, aStrangerIn, DEFAULT, encode, ownGatekeeper, read, verdicts } from './strangers.ts';

/** Random worlds: strangers and partners make changes in two contracts between the intervals of a watcher. The test makes the blocks. */

type Partner = Awaited<ReturnType<typeof aPartnerIn>>;
type Stranger = Awaited<ReturnType<typeof aStrangerIn>>;

const perhaps = (change: Promise<unknown>) => change.catch(() => undefined);

interface World {
  readonly watcher: TestWatcher;
  /** One in each contract. */
  readonly partners: readonly Partner[];
  /** In each contract: in a gatekeeper network of its own, and in that of the partner of the other contract. */
  readonly strangers: readonly Stranger[];
  readonly tokens: Map<Stranger, bigint[]>;
}

type Command = (world: World) => Promise<unknown>;

async function byStranger({ strangers, tokens }: World, index: number, kind: string, pick: number): Promise<void> {
  const stranger = strangers[index % strangers.length] as Stranger;
  const own = tokens.get(stranger) ?? [];
  const token = own[pick % Math.max(1, own.length)];
  if (kind === 'mint' || token === undefined) tokens.set(stranger, [...own, await stranger.mint()]);
  else if (kind === 'burn') {
    await stranger.call('burn', token);
    tokens.set(
      stranger,
      own.filter((each) => each !== token),
    );
  } else if (kind === 'set-expiry') await perhaps(stranger.change(kind, token, 1_900_000_000 + pick));
  else await perhaps(stranger.change(kind as 'freeze' | 'unfreeze' | 'revoke', token));
}

/** A stranger changes roles and features of its gatekeeper network, which may have the slot of a partner in the other contract. */
async function rolesByStranger({ strangers }: World, index: number, pick: number): Promise<void> {
  const { call, slot } = strangers[index % strangers.length] as Stranger;
  await perhaps(call('setNetworkFeatures', slot, BigInt(pick % 2)));
  await perhaps(call(pick % 3 === 0 ? 'addGatekeeper' : 'removeGatekeeper', ownGatekeeper(), slot));
}

/** The partner's authority or its other gatekeeper changes what the contract says of the pass. */
async function byPartner({ partners }: World, index: number, kind: string): Promise<void> {
  const { key, slot, contract, byAuthority } = partners[index % partners.length] as Partner;
  if (kind === 'remove' || kind === 'add') {
    await perhaps(byAuthority(`${kind}Gatekeeper`, ownGatekeeper(), slot));
    return;
  }
  if (kind === 'voids' || kind === 'does not void') {
    await byAuthority('setNetworkFeatures', slot, kind === 'voids' ? 1n : 0n);
    return;
  }
  const { other } = await accounts();
  const ids = await read(contract, encode('getTokenIdsByOwnerAndNetwork', [key.wallet, slot, false]));
  const data = changeData({ kind: kind as 'freeze' | 'unfreeze', expiry: undefined }, BigInt(`0x${ids.slice(-64)}`));
  await perhaps(sendAs(other, contract, data));
}

const some = fc.nat(7);
const command: fc.Arbitrary<readonly [words: string, run: Command]> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(some, fc.constantFrom('mint', 'freeze', 'unfreeze', 'revoke', 'set-expiry', 'burn'), some)
      .map(([index, kind, pick]) => [
        `stranger ${index} ${kind} ${pick}`,
        (w: World) => byStranger(w, index, kind, pick),
      ]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(some, some)
      .map(([index, pick]) => [`stranger ${index} roles ${pick}`, (w: World) => rolesByStranger(w, index, pick)]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(some, fc.constantFrom('freeze', 'unfreeze', 'remove', 'add', 'voids', 'does not void'))
      .map(([index, kind]) => [`partner ${index} ${kind}`, (w: World) => byPartner(w, index, kind)]),
  },
  { weight: 3, arbitrary: fc.constant(['an interval', (w: World) => w.watcher.interval()]) },
  { weight: 1, arbitrary: fc.constant(['blocks', () => mine(3)]) },
) as fc.Arbitrary<readonly [string, Command]>;

/** The first check of the gatekeepers after the world is due. */
const checkAgain = (watcher: TestWatcher) =>
  runInDurableObject(watcher.object, (_, { storage }) => {
    storage.kv.delete('rechecked-at');
    storage.sql.exec('UPDATE foreign_change SET not_before = 0');
  });

async function rest({ watcher, partners }: World): Promise<void> {
  await mine(4);
  await checkAgain(watcher);
  await watcher.interval();
  const { timestamp } = await callSepolia<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
  // The clock of the chain may be ahead, and the coverage is never later than now.
  const reached = Math.min(Number(timestamp), Math.floor(Date.now() / 1000));
  await watcher.interval(2);
  const { waiting, gaps, unservedGaps, why, coveredUntil } = await watcher.status();
  expect({ waiting, gaps, unservedGaps, why }).toEqual({ waiting: 0, gaps: 0, unservedGaps: 0, why: null });
  expect(coveredUntil).toBeGreaterThanOrEqual(reached);
  for (const each of partners) {
    const { contract, check } = await verdicts(each);
    expect({ partner: each.contract, check }).toEqual({ partner: each.contract, check: contract });
    expect(await coverageOf(each.key)).toBe(coveredUntil);
  }
}

/** Another one for each file: several share a localnet. */
const aSmallSlot = () => BigInt(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0);

/** Runs that many worlds. After each, public checks say what the contracts say, and `coveredUntil` has advanced. */
export async function runWorlds(numRuns: number): Promise<void> {
  const { seed } = inject('stories');
  const partners = [await aPartnerIn(DEFAULT), await aPartnerIn(CIVIC_CONTRACT)];
  const { other } = await accounts();
  for (const { byAuthority, slot } of partners) await byAuthority('addGatekeeper', other, slot);
  const strangers = [
    await aStrangerIn(DEFAULT),
    await aStrangerIn(DEFAULT, aSmallSlot()),
    await aStrangerIn(CIVIC_CONTRACT),
    await aStrangerIn(CIVIC_CONTRACT, partners[0]?.slot),
    await aStrangerIn(DEFAULT, partners[1]?.slot),
  ];
  const world = { watcher: await TestWatcher.begin(), partners, strangers, tokens: new Map() };
  const worlds = fc.array(command, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(worlds, async (commands) => {
      for (const [, run] of commands) await run(world);
      await rest(world).catch((fault) => {
        throw new Error(`${commands.map(([words]) => words).join('; ')}: ${fault}`);
      });
    }),
    { numRuns, seed, endOnFailure: true },
  );
}
