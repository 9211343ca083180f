import { beforeAll, describe, expect, it } from 'vitest';
import { ethereum } from '../../../../src/chain/ethereum/adapter.ts';
import { mintData } from '../../../../src/chain/ethereum/gateway.ts';
import type { FoundLog } from '../../../../src/chain/ethereum/logs.ts';
import { readTokens } from '../../../../src/chain/ethereum/owned-tokens.ts';
import { prepare } from '../../../../src/chain/ethereum/prepare.ts';
import { identityOf } from '../../../../src/chain/ethereum/rpc.ts';
import { type JsonRpc, jsonRpc } from '../../../../src/chain/json-rpc.ts';
import { RpcFault } from '../../../../src/chain/port.ts';
import { notNow } from '../../../../src/chain/reasons.ts';
import type { Hex } from '../../../../src/lib/bytes.ts';
import { slotOf } from '../../../../src/network/slot.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { installSlimContract, SLIM_CONTRACT } from '../../second-contract.ts';
import { answersIn, broadcastAll } from '../ask.ts';
import {
  chain,
  findingOf,
  flown,
  issued,
  mintAnother,
  sightingOf,
  signed,
  tokenData,
  tokenIdOf,
  tokensOf,
} from './issuing.ts';
import { aStep, byGatekeeper, callSepolia, contextOver, makeBlocksByHand, mine, sepolia } from './node.ts';
import { accounts, setGatekeeper } from './others.ts';

/** A real contract of the build SlimGateway, which derives the ids of its tokens. The test makes the blocks. */

makeBlocksByHand();
beforeAll(() => installSlimContract());

const EXPIRY = 2_000_000_000;
const LATER = 2_100_000_000;
const ANOTHER = 2_200_000_000;
const KINDS = ['freeze', 'unfreeze', 'set-expiry', 'revoke'] as const;
const GIVING = ['unfreeze', 'set-expiry'] as const;
const NOT_FINAL = notNow('tokens-not-final');

/** The adapter, as the signer opens it if it knows the code of the contract. */
const knowing = ethereum(sepolia(), slotOf, (contract) => contract === SLIM_CONTRACT);
const aSlimStep = () => aStep({ contract: SLIM_CONTRACT, expiry: EXPIRY });
const headNumber = async () => Number(await callSepolia<string>('eth_blockNumber'));

/** Returns a change of a pass whose token was issued, with its known state. */
const changeOf = (issuance: Step, kind: (typeof KINDS)[number], asOf: number): Step => ({
  ...issuance,
  id: `${issuance.id}1`,
  kind,
  expiry: kind === 'set-expiry' ? LATER : undefined,
  known: { state: kind === 'unfreeze' ? 'FROZEN' : 'ACTIVE', expiry: EXPIRY, asOf },
});

async function byOther(step: Step, ...deeds: readonly ('freeze' | 'burn')[]): Promise<void> {
  for (const deed of deeds) await byGatekeeper(tokenData(deed, await tokenIdOf(step)), SLIM_CONTRACT);
}

/** Others burn the token of a wallet and mint it again. Returns the block of the burn. */
async function replaceToken(step: Step, expiry?: number): Promise<number> {
  await byOther(step, 'burn');
  const burnedAt = await headNumber();
  await mintAnother(step, expiry);
  return burnedAt;
}

const NODE = jsonRpc(sepolia().endpoints, identityOf(sepolia().network));

/** The node, with other logs; undefined: it refuses to serve them. */
const withLogs =
  (change: (logs: readonly FoundLog[]) => unknown): JsonRpc =>
  async (calls) => {
    const answers = await NODE(calls);
    return answers.map((answer, index) => {
      if (calls[index]?.method !== 'eth_getLogs' || !('result' in answer)) return answer;
      const result = change(answer.result as readonly FoundLog[]);
      if (result === undefined) throw new RpcFault('no logs');
      return { result };
    });
  };

it.each(KINDS)('%s follows the mint of its token at once', async (kind) => {
  const issuance = aSlimStep();
  const { block } = await flown(issuance, knowing);
  if (kind === 'unfreeze') await byOther(issuance, 'freeze');
  const step = changeOf(issuance, kind, block);
  expect(await findingOf(step, knowing)).toMatchObject({ type: 'ready' });
  // The adapter of a signer that does not know the code waits, as for any other contract.
  expect(await findingOf(step)).toEqual(NOT_FINAL);
});

it('confirms a freeze in the block after the mint, and after the final block of the mint if the code is unknown', async () => {
  const blocksUntilFrozen = async (on: typeof chain) => {
    const issuance = aSlimStep();
    const { block } = await flown(issuance, on);
    const freeze = changeOf(issuance, 'freeze', block);
    while ((await findingOf(freeze, on))?.type !== 'ready') await mine();
    return (await flown(freeze, on)).block - block;
  };
  expect([await blocksUntilFrozen(knowing), await blocksUntilFrozen(chain)]).toEqual([1, 3]);
});

it('freezes the token of its own wallet after a reorg in which two mints swap', async () => {
  const [ours, theirs] = [aSlimStep(), aSlimStep()];
  const { other: from } = await accounts();
  await setGatekeeper(ours, from, true);
  const data = mintData(theirs.key.wallet, slotOf(theirs.key.gatekeeperNetwork) as bigint, EXPIRY);
  const mint = { from, to: SLIM_CONTRACT, data, gas: '0x7a120' };
  const sent = await signed(ours, 0, knowing);
  await broadcastAll(knowing, [sent]);
  await callSepolia('eth_sendTransaction', mint);
  await mine();
  const ids = [await tokenIdOf(ours), await tokenIdOf(theirs)];
  const freeze = await signed(changeOf(ours, 'freeze', await headNumber()), 0, knowing);
  await broadcastAll(knowing, [freeze]);
  await mine();
  await callSepolia('anvil_reorg', 2, [
    [mint, 0],
    [sent.bytes, 0],
    [freeze.bytes, 1],
  ]);
  expect([await tokenIdOf(ours), await tokenIdOf(theirs)]).toEqual(ids);
  expect([...(await tokensOf(ours)), ...(await tokensOf(theirs))]).toMatchObject([
    { state: 'FROZEN' },
    { state: 'ACTIVE' },
  ]);
  await mine(4);
});

it('finds the token that others have minted first, and mints no second one', async () => {
  const step = aSlimStep();
  const sent = await signed(step, 1, knowing);
  await mintAnother(step, LATER);
  await broadcastAll(knowing, [sent]);
  await mine(4);
  expect(await sightingOf(step, sent)).toMatchObject({ type: 'without-effect' });
  expect(await findingOf(step, knowing)).toMatchObject({ type: 'found', onChain: { state: 'ACTIVE', expiry: LATER } });
  expect(await tokensOf(step)).toHaveLength(1);
});

describe('a token that was burned and minted again', () => {
  it.each(GIVING)('is never changed by %s that knows the token before', async (kind) => {
    const issuance = aSlimStep();
    await issued(issuance);
    if (kind === 'unfreeze') await byOther(issuance, 'freeze');
    const step = changeOf(issuance, kind, await headNumber());
    const burnedAt = await replaceToken(issuance, ANOTHER);
    if (kind === 'unfreeze') await byOther(issuance, 'freeze');
    expect(await findingOf(step, knowing)).toEqual(NOT_FINAL);
    await mine(2);
    const state = kind === 'unfreeze' ? 'FROZEN' : 'ACTIVE';
    const later = { state, expiry: ANOTHER, asOf: expect.any(Number), burnedAt };
    expect(await findingOf(step, knowing)).toEqual({ type: 'found', onChain: later });
    const [[, observation] = []] = await knowing.observe([step]);
    expect(observation).toEqual({ confirmed: later, final: later });
    // A step that knows it changes it.
    expect(await findingOf(changeOf(issuance, kind, burnedAt + 1), knowing)).toMatchObject({ type: 'ready' });
  });

  it.each(['freeze', 'revoke'] as const)('loses access by %s that knows the token before', async (kind) => {
    const issuance = aSlimStep();
    await issued(issuance);
    const step = changeOf(issuance, kind, await headNumber());
    await replaceToken(issuance, ANOTHER);
    expect(await findingOf(step, knowing)).toMatchObject({ type: 'ready', expectedOnChain: { expiry: ANOTHER } });
    await flown(step, knowing);
    expect(await tokensOf(issuance)).toEqual([{ state: kind === 'freeze' ? 'FROZEN' : 'REVOKED', expiry: ANOTHER }]);
  });

  it('in one block is no longer the known one', async () => {
    const issuance = aSlimStep();
    await issued(issuance);
    const step = changeOf(issuance, 'set-expiry', await headNumber());
    const id = await tokenIdOf(issuance);
    await callSepolia('evm_setAutomine', false);
    const from = sepolia().gatekeeper.address;
    const again = mintData(issuance.key.wallet, slotOf(issuance.key.gatekeeperNetwork) as bigint, EXPIRY);
    for (const data of [tokenData('burn', id), again])
      await callSepolia('eth_sendTransaction', { from, to: SLIM_CONTRACT, data, gas: '0x7a120' });
    await mine(3);
    expect(await findingOf(step, knowing)).toMatchObject({
      type: 'found',
      onChain: { state: 'ACTIVE', expiry: EXPIRY },
    });
  });

  it('is the known one again after a reorg without the burn', async () => {
    const issuance = aSlimStep();
    await issued(issuance);
    const step = changeOf(issuance, 'set-expiry', await headNumber());
    const snapshot = await callSepolia<string>('evm_snapshot');
    await replaceToken(issuance);
    expect(await findingOf(step, knowing)).toEqual(NOT_FINAL);
    await callSepolia('evm_revert', snapshot);
    await mine(2);
    expect(await findingOf(step, knowing)).toMatchObject({ type: 'ready' });
  });

  it.each<[string, (logs: readonly FoundLog[]) => unknown]>([
    ['serves no logs', () => undefined],
    [
      'serves a log of another event',
      (logs) => logs.map((log) => ({ ...log, topics: log.topics.with(0, log.topics[3] as Hex) })),
    ],
    ['serves a log that a reorg has removed', (logs) => logs.map((log) => ({ ...log, removed: true }))],
    ['serves a log after its head', (logs) => logs.map((log) => ({ ...log, blockNumber: '0xffffff' }))],
  ])('is left to the watcher if the node %s', async (_, change) => {
    const issuance = aSlimStep();
    await issued(issuance);
    const step = changeOf(issuance, 'set-expiry', await headNumber());
    await replaceToken(issuance);
    const context = { ...contextOver(withLogs(change)), derivesTokenIds: () => true };
    expect(answersIn((await prepare(context, [{ step }])).results)).toMatchObject([{ type: 'ready' }]);
  });

  it('is looked for in 10,000 blocks', async () => {
    const step = aSlimStep();
    await issued(step);
    const asked: unknown[] = [];
    // The node answers for its newest block, as if that were block 20,000.
    const rpc: JsonRpc = (calls) => {
      asked.push(...calls.flatMap(({ method, params }) => (method === 'eth_getLogs' ? params : [])));
      const others = calls.filter(({ method }) => method !== 'eth_getLogs');
      return NODE(others.map(({ method, params: [call] = [] }) => ({ method, params: [call, 'latest'] })));
    };
    const slot = slotOf(step.key.gatekeeperNetwork) as bigint;
    const known = { state: 'ACTIVE', asOf: 1 } as const;
    const holder = { wallet: step.key.wallet, contract: SLIM_CONTRACT, slot, known };
    await readTokens({ rpc, derivesTokenIds: () => true }, [holder], '0x4e20');
    expect(asked).toMatchObject([{ fromBlock: '0x2711', toBlock: '0x4e20' }]);
  });
});
