import { runInDurableObject } from 'cloudflare:test';
import fc from 'fast-check';
import type { Hex } from 'viem';
import { toEventSelector } from 'viem/utils';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { representativeToken } from '../../../src/pass/adopt.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import type { OnChainState, WantedState } from '../../../src/pass/vocabulary.ts';
import { eventually } from '../../eventually.ts';
import { type Alteration, alteredNodes, type Call } from '../chain/altered-nodes.ts';
import { tokensOf } from '../chain/ethereum/issuing.ts';
import { callSepolia, makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { aRequestedPass, deliver, objectOf, processPass, recordOf } from '../consumer/deliver.ts';
import { partner } from '../http/api.ts';
import { coverageOf, nodeOf, TestWatcher, validityOf } from './a-watcher.ts';
import { anOtherGatekeeper, burnedByOther, changedByOther, mintedByOther, stepOf } from './others.ts';

/**
 * Random stories of a watcher on the real node: others change tokens between the service's own changes, blocks leave the chain, and one
 * of two endpoints lies or refuses. In the end, record and chain agree, and no step is lost or doubled.
 */

const PASSES = 2;
const LATER = 1_900_000_000;

makeBlocksByHand();
beforeAll(async () => {
  await partner('acme');
  await anOtherGatekeeper();
  for (const method of ['log', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => {});
});
afterAll(() => void vi.restoreAllMocks());

const FREEZE = toEventSelector('Freeze(uint256)');
const RANGE_ERROR = { code: -32_005, message: 'query exceeds max block range 3' };

/** The forms in which providers refuse a range of blocks. */
const REFUSALS: readonly (() => Response)[] = [
  () => Response.json({ jsonrpc: '2.0', id: null, error: RANGE_ERROR }),
  () => Response.json({ error: RANGE_ERROR }, { status: 400 }),
  () => new Response('payload too large', { status: 413 }),
  () => new Response('block range is too wide', { status: 200 }),
  () => {
    throw new TypeError('the connection is closed');
  },
];

type Habit = 'honest' | 'hides' | 'invents' | { readonly refuses: number };

/** An endpoint whose habit a story changes. */
class Endpoint implements Alteration {
  habit: Habit = 'honest';

  refuse = (calls: readonly Call[]): Response | undefined => {
    if (typeof this.habit === 'string') return undefined;
    const wide = calls.some(({ method, params: [filter] }) => method === 'eth_getLogs' && isWide(filter));
    return wide ? REFUSALS[this.habit.refuses]?.() : undefined;
  };

  alter: NonNullable<Alteration['alter']> = (call, answer) => {
    if (call.method !== 'eth_getLogs' || !Array.isArray(answer.result)) return answer;
    const [{ fromBlock, address }] = call.params;
    if (this.habit === 'hides') return { result: [] };
    if (this.habit !== 'invents') return answer;
    const blockNumber = `0x${Number(fromBlock).toString(16)}`;
    const log = { address: [address].flat()[0], data: '0x', topics: [FREEZE, `0x${'00'.repeat(31)}01`] };
    return { result: [{ ...log, blockNumber, transactionHash: `0x${'ab'.repeat(32)}` }, ...answer.result] };
  };
}

function isWide({ fromBlock, toBlock }: { readonly fromBlock: Hex; readonly toBlock: string }): boolean {
  return toBlock === 'latest' || Number(toBlock) - Number(fromBlock) > 3;
}

interface Story {
  readonly keys: readonly PassKey[];
  readonly watcher: TestWatcher;
  readonly endpoints: readonly [Endpoint, Endpoint];
  /** Tokens of each wallet that others have minted. */
  readonly minted: Map<PassKey, number>;
}

type Command = (story: Story) => Promise<unknown>;
/** The contract refuses changes that the state of the token does not allow. */
const perhaps = (change: Promise<unknown>) => change.catch(() => undefined);

async function byOthers({ keys, minted }: Story, pass: number, kind: string): Promise<void> {
  const key = keys[pass] as PassKey;
  const tokens = await tokensOf(stepOf(key));
  if (kind === 'mint') {
    if ((minted.get(key) ?? 0) >= 3) return;
    minted.set(key, (minted.get(key) ?? 0) + 1);
    await mintedByOther(key, LATER);
  } else if (tokens.length > 0) {
    if (kind === 'burn') await burnedByOther(key);
    else if (kind === 'set-expiry') await perhaps(changedByOther(key, kind, LATER - 1_000));
    else await perhaps(changedByOther(key, kind as 'freeze' | 'unfreeze' | 'revoke'));
  }
}

/** The partner changes a pass, and its step settles as far as the chain allows. */
async function byPartner({ keys }: Story, pass: number, state: WantedState): Promise<void> {
  const key = keys[pass] as PassKey;
  await objectOf(key).update({ state, client: 'acme' });
  for (let round = 0; round < 4; round += 1) {
    await deliver(processPass(key));
    await mine();
  }
}

const pass = fc.nat(PASSES - 1);
const kinds = fc.constantFrom('freeze', 'unfreeze', 'revoke', 'set-expiry', 'burn', 'mint');
const habits = fc.oneof(
  fc.constantFrom<Habit>('honest', 'hides', 'invents'),
  fc.nat(REFUSALS.length - 1).map((refuses) => ({ refuses })),
);

const command: fc.Arbitrary<readonly [words: string, run: Command]> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(pass, kinds)
      .map(([index, kind]) => [`others ${kind} ${index}`, (s: Story) => byOthers(s, index, kind)]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(pass, fc.constantFrom<WantedState>('FROZEN', 'ACTIVE'))
      .map(([index, state]) => [`the partner wants ${index} ${state}`, (s: Story) => byPartner(s, index, state)]),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(pass, kinds, fc.boolean()).map(([index, kind, isSeen]) => [
      `others ${kind} ${index}${isSeen ? ', seen' : ''}, and the block leaves the chain`,
      async (s: Story) => {
        await byOthers(s, index, kind);
        if (isSeen) await s.watcher.interval();
        await callSepolia('anvil_reorg', 1, []);
      },
    ]),
  },
  { weight: 4, arbitrary: fc.constant(['an interval', (s: Story) => s.watcher.interval()]) },
  {
    weight: 3,
    arbitrary: fc.integer({ min: 1, max: 12 }).map((blocks) => [`${blocks} blocks`, () => mine(blocks)]),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(1), habits).map(([index, habit]) => [
      `endpoint ${index} is ${JSON.stringify(habit)}`,
      async ({ endpoints }: Story) => {
        // One of the two tells the truth.
        for (const each of endpoints) each.habit = 'honest';
        (endpoints[index] as Endpoint).habit = habit;
      },
    ]),
  },
) as fc.Arbitrary<readonly [string, Command]>;

async function begin(): Promise<Story> {
  const keys: PassKey[] = [];
  for (let n = 0; n < PASSES; n += 1) keys.push(await aRequestedPass());
  // A reorg of the story before may have removed a transaction of the service, which it then sends again.
  await eventually(async () => {
    await mine();
    await deliver(...keys.map(processPass));
    for (const key of keys) expect((await recordOf(key))?.onChainState).toBe('ACTIVE');
  }, 100);
  await mine(3);
  const endpoints = [new Endpoint(), new Endpoint()] as const;
  const { urls } = alteredNodes(nodeOf('sepolia'), ...endpoints);
  const watcher = await TestWatcher.begin({ urls: urls.map((url) => url()) });
  return { keys, endpoints, watcher, minted: new Map() };
}

/** Ends all faults, and lets the watcher read what is left. */
async function rest({ keys, watcher, endpoints }: Story): Promise<void> {
  for (const each of endpoints) each.habit = 'honest';
  await eventually(async () => {
    await mine();
    await deliver(...keys.map(processPass));
    // The pauses before further tries are not the subject.
    await runInDurableObject(watcher.object, (_, { storage }) =>
      storage.sql.exec('UPDATE foreign_change SET not_before = 0'),
    );
    await watcher.interval();
    expect(await watcher.status()).toMatchObject({ waiting: 0, gaps: 0, why: null });
    for (const key of keys) await expectAgreement(key);
  }, 40);
}

async function expectAgreement(key: PassKey): Promise<void> {
  const tokens = (await tokensOf(stepOf(key))).map(({ state, expiry }, id) => ({
    id: BigInt(id),
    state: state as Exclude<OnChainState, 'NONE'>,
    expiry: expiry === 0 ? undefined : expiry,
  }));
  const record = await recordOf(key);
  const truth = representativeToken(tokens, { state: record?.onChainState ?? 'NONE', expiry: record?.expiryTimestamp });
  expect(record?.onChainState).toBe(truth?.state ?? 'NONE');
  if (truth?.state === 'ACTIVE') expect(record?.expiryTimestamp).toBe(truth.expiry);
  expect(await validityOf(key)).toMatchObject({ onChainState: truth?.state ?? 'NONE', isPending: false });
  expect(await coverageOf(key)).toBeGreaterThan(0);
}

it('record and chain agree in the end', { timeout: 3_600_000 }, async () => {
  const runs = inject('form') === 'long' ? 150 : 5;
  const { seed } = inject('stories');
  const stories = fc.array(command, { minLength: 5, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(stories, async (commands) => {
      const story = await begin();
      for (const [, run] of commands) await run(story);
      await rest(story).catch((fault) => {
        throw new Error(`${commands.map(([words]) => words).join('; ')}: ${fault}`);
      });
      for (const key of story.keys) {
        const issued = (await recordOf(key))?.events.filter(
          ({ eventType, byOthers }) => eventType === 'TOKEN_ISSUED' && byOthers === undefined,
        );
        expect(issued).toHaveLength(1);
      }
    }),
    { numRuns: runs, seed, endOnFailure: true },
  );
});
