import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import { GATEKEEPER_KEYS } from '../../../../../tools/localnet/ethereum/gatekeepers.ts';
import { EthereumChain } from '../../../../simulation/ethereum/chain.ts';
import { FAULTS } from '../../../../simulation/ethereum/faults.ts';
import { callData } from '../../../../simulation/ethereum/gateway-contract.ts';
import { EthereumNode } from '../../../../simulation/ethereum/node.ts';

/** The parts of the simulated chain that no real node has: endpoints that are behind or lie, and calls without a signature. */

const CONTRACT: Hex = `0x${'c0'.repeat(20)}`;
const AUTHORITY: Hex = `0x${'aa'.repeat(20)}`;
const GATEKEEPER = privateKeyToAccount(GATEKEEPER_KEYS[0] as Hex);
const SLOT = 4n;
const BEGINNING = 1_800_000_000;
const FINAL_DISTANCE = 3;
const walletOf = (index: number): Hex => `0x${index.toString(16).padStart(40, '0')}`;

const newChain = () =>
  new EthereumChain({
    chainId: 11_155_111,
    contracts: [
      { address: CONTRACT, networks: [{ slot: SLOT, authority: AUTHORITY, gatekeepers: [GATEKEEPER.address] }] },
    ],
    genesisTime: BEGINNING,
    blockSeconds: 12,
    finalDistance: FINAL_DISTANCE,
  });

const sign = (nonce: number, data: Hex) =>
  GATEKEEPER.signTransaction({
    ...{ type: 'eip1559', chainId: 11_155_111, nonce, to: CONTRACT, data, gas: 400_000n },
    ...{ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n },
  });

function ask(node: EthereumNode, calls: readonly (readonly [method: string, ...params: unknown[]])[]): string[] {
  const body = calls.map(([method, ...params], id) => ({ id, method, params }));
  return (JSON.parse(node.answer(JSON.stringify(body))) as unknown[]).map((answer) => JSON.stringify(answer));
}

/** Returns a question for each answer that a node gives, at the newest block and at an earlier one. */
function questionsOf(chain: EthereumChain, hash: Hex) {
  const earlier = `0x${(chain.head.number - FINAL_DISTANCE - 1).toString(16)}`;
  const call = (data: Hex, from?: Hex) =>
    ['eth_call', { to: CONTRACT, data, ...(from && { from }) }, 'latest'] as const;
  const simulated = [callData('freeze', 1n), callData('freeze', 2n)];
  return [
    ...(['eth_chainId', 'eth_blockNumber', 'eth_gasPrice', 'eth_maxPriorityFeePerGas'] as const).map(
      (name) => [name] as const,
    ),
    ...['latest', 'finalized', earlier].map((at) => ['eth_getBlockByNumber', at, false] as const),
    ...['latest', earlier].map((at) => ['eth_getTransactionCount', GATEKEEPER.address, at] as const),
    ['eth_getBalance', GATEKEEPER.address, 'latest'] as const,
    ['eth_getCode', CONTRACT, 'latest'] as const,
    [
      'eth_getStorageAt',
      CONTRACT,
      '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
      'latest',
    ] as const,
    ...[1n, 2n, 3n].map((token) => call(callData('getToken', token))),
    call(callData('getTokenIdsByOwnerAndNetwork', walletOf(1), SLOT)),
    ...[GATEKEEPER.address, AUTHORITY].map((account) => call(callData('isGatekeeper', account, SLOT))),
    ...[SLOT, 9n].map((slot) => call(callData('networkHasFeature', slot))),
    ...simulated.map((data) => call(data, GATEKEEPER.address)),
    ...simulated.map((data) => ['eth_estimateGas', { from: GATEKEEPER.address, to: CONTRACT, data }] as const),
    ...['Receipt', 'ByHash'].map((of) => [`eth_getTransaction${of}`, hash] as const),
    ['eth_getLogs', { address: CONTRACT, topics: [], fromBlock: '0x0', toBlock: 'latest' }] as const,
  ];
}

/** Returns a chain with an active, a frozen and a revoked token, and the hash of the first mint. Two blocks follow. */
async function aChain() {
  const chain = newChain();
  const mints = await Promise.all([1, 2, 3].map((index) => sign(index - 1, callData('mint', walletOf(index), SLOT))));
  const [hash] = mints.map((bytes) => chain.send(bytes));
  chain.mine(BEGINNING + 12);
  for (const [name, token] of [
    ['freeze', 2n],
    ['revoke', 3n],
  ] as const)
    chain.byOthers(GATEKEEPER.address, CONTRACT, callData(name, token));
  chain.byOthers(AUTHORITY, CONTRACT, callData('setNetworkFeatures', SLOT, 1n));
  for (let blocks = 2; blocks < 8; blocks += 1) chain.mine(BEGINNING + blocks * 12);
  return { chain, hash: hash as Hex };
}

it('answers as it did before, if it is behind', async () => {
  const { chain, hash } = await aChain();
  const node = new EthereumNode(chain);
  const questions = questionsOf(chain, hash);
  const before: string[][] = [];
  for (let blocks = 8; blocks < 20; blocks += 1) {
    before.push(ask(node, questions));
    chain.byOthers(GATEKEEPER.address, CONTRACT, callData('mint', walletOf(1), SLOT, blocks));
    chain.mine(BEGINNING + blocks * 12);
  }
  for (node.lag = 1; node.lag <= before.length; node.lag += 1)
    expect(ask(node, questions)).toEqual(before.at(-node.lag));
  expect(new Set(before.map((answers) => answers.join())).size).toBe(before.length);
});

/** Returns the answers of an endpoint with that fault to all questions, asked twice, and to a transaction. */
async function answersWith(fault: string | undefined): Promise<string[]> {
  const { chain, hash } = await aChain();
  const node = new EthereumNode(chain);
  let number = 0;
  node.alter = FAULTS[fault ?? '']?.(() => {
    number = (number + 0.37) % 1;
    return number;
  });
  const questions = [...questionsOf(chain, hash), ['eth_getTransactionCount', GATEKEEPER.address, 'pending'] as const];
  const send = ['eth_sendRawTransaction', await sign(5, callData('freeze', 1n))] as const;
  const first = ask(node, questions);
  chain.mine(chain.head.time + 12);
  return [...first, ...ask(node, questions), ...ask(node, [send, send])];
}

it('answers the same without a fault', async () => {
  expect(await answersWith(undefined)).toEqual(await answersWith(undefined));
});

it.each(Object.keys(FAULTS))('changes an answer by the fault "%s"', async (fault) => {
  expect(await answersWith(fault)).not.toEqual(await answersWith(undefined));
});

it('returns the hash of a transaction that it swallows', async () => {
  const { chain } = await aChain();
  const [honest, swallowing] = [new EthereumNode(chain), new EthereumNode(chain)];
  swallowing.swallows = true;
  const bytes = await sign(5, callData('freeze', 1n));
  const answer = ask(swallowing, [['eth_sendRawTransaction', bytes]]);
  expect(chain.waiting).toEqual([]);
  expect(ask(honest, [['eth_sendRawTransaction', bytes]])).toEqual(answer);
  expect(chain.waiting).toHaveLength(1);
});

it('takes any time for a block that is not before the time of its parent', () => {
  const chain = newChain();
  const times = [1, 2, 2.9, 86_400, 86_400, 10_000_000].map((seconds) => BEGINNING + seconds);
  for (const time of times) {
    chain.mine(time);
    expect(chain.head.time).toBe(Math.floor(time));
  }
  expect(() => chain.mine(BEGINNING)).toThrow('a block cannot be older than the one before it');
});

it('includes calls of others first, with a receipt for forbidden ones, and as many transactions as there is room for', async () => {
  const { chain } = await aChain();
  const nonce = chain.nonceOf(GATEKEEPER.address);
  for (const more of [1, 2, 3]) chain.send(await sign(nonce + more, callData('freeze', 1n)));
  const hashes = [GATEKEEPER.address, AUTHORITY].map((sender) =>
    chain.byOthers(sender, CONTRACT, callData('revoke', 2n)),
  );
  chain.mine(BEGINNING + 96, 2);
  const receipts = [...chain.head.receipts].map(([hash, { succeeded, transaction }]) => [
    hash,
    succeeded,
    transaction.nonce,
  ]);
  expect(receipts.slice(0, 2)).toEqual(hashes.map((hash, index) => [hash, index === 0, undefined]));
  expect(receipts.slice(2).map(([, , each]) => each)).toEqual([nonce + 1, nonce + 2]);
  expect(chain.waiting.map((each) => each.nonce)).toEqual([nonce + 3]);
});

it('takes no final block off, and gives other hashes to the blocks that follow', async () => {
  const { chain } = await aChain();
  const { final, head } = chain;
  const blocks = [final, final + 1].map((number) => chain.block(number)?.hash);
  chain.reorganize(100, false);
  expect(chain.head.number).toBe(final);
  chain.mine(head.time);
  expect([final, final + 1].map((number) => chain.block(number)?.hash)).toEqual([
    blocks[0],
    expect.not.stringMatching(String(blocks[1])),
  ]);
});
