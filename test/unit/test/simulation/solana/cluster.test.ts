import { AccountRole, address, type Instruction } from '@solana/kit';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { solana } from '../../../../../src/chain/solana/adapter.ts';
import { FULL } from '../../../../form.ts';
import { SolanaChain } from '../../../../simulation/solana/chain.ts';
import { FAULTS } from '../../../../simulation/solana/faults.ts';
import { SolanaNode } from '../../../../simulation/solana/node.ts';
import recorded from '../../../../vectors/solana-gateway.json' with { type: 'json' };
import { COLLEAGUE, ENABLED, NETWORK, OWN, RAW, Script, scripts, stepOf, WALLETS } from './random-script.ts';
import { OPTIONS, Twins } from './twin-clusters.ts';

/** The cluster of the simulation is equal to the localnet's node, and to the recorded gateway program. */

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const RUNS = FULL ? 300 : 30;

/** Failures of others: no gatekeeper, no token, an unknown instruction. */
const FAILURES = [{ Custom: 6 }, 'IncorrectProgramId', 'BorshIoError'];

/** Outcomes that random scripts must have compared. */
const COMMON = [
  ...Object.keys(RAW).filter((method) => !/^(send|getBlocks)/.test(method)),
  'sendTransaction',
  ...['getAccountInfo', 'sendTransaction', 'simulateTransaction', 'getSignaturesForAddress'].map(
    (each) => `${each}: -32602`,
  ),
  ...['getBlocks: -32601', 'getSlot: -32016'],
  ...['getTransaction: -32015', 'getTransaction: null', 'getTransaction', 'sendTransaction: -32003', 'no status'],
  ...[null, ...FAILURES.map((each) => ({ InstructionError: [0, each] }))].map(
    (err) => `a status: ${JSON.stringify(err)}`,
  ),
];

it(`answers like the localnet's node in ${RUNS} random scripts`, { timeout: 600_000 }, async () => {
  const compared: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(scripts, async (deeds) => {
      const twins = await Twins.open([NETWORK]);
      vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => new Response(await twins.answer(body)));
      const script = new Script(twins);
      for (const [, run] of deeds) await run(script);
      await script.track();
      await script.observe();
      await script.watch();
      await script.look();
      for (const [outcome, times] of Object.entries(twins.compared))
        compared[outcome] = (compared[outcome] ?? 0) + times;
    }),
    { numRuns: RUNS, seed: 60 },
  );
  expect(COMMON.filter((outcome) => !(outcome in compared))).toEqual([]);
});

const aNode = () => {
  const chain = new SolanaChain(OPTIONS);
  const node = new SolanaNode(chain);
  const ask = (method: string, ...params: unknown[]) =>
    JSON.parse(node.answer(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));
  return { chain, node, ask };
};

const ROLES: Readonly<Record<string, AccountRole>> = {
  readonly: AccountRole.READONLY,
  writable: AccountRole.WRITABLE,
  'readonly-signer': AccountRole.READONLY_SIGNER,
  'writable-signer': AccountRole.WRITABLE_SIGNER,
};

it('shows the errors, bytes and lamports of the real program in 600 recorded steps', () => {
  const { chain, ask } = aNode();
  chain.fund(address(recorded.payer), 10n ** 12n);
  for (const { accounts, data, pass, error } of recorded.steps) {
    const instruction: Instruction = {
      programAddress: address(recorded.program),
      accounts: accounts.map(([each, role]) => ({
        address: address(each as string),
        role: ROLES[role as string] as AccountRole,
      })),
      data: new Uint8Array(Buffer.from(data, 'hex')),
    };
    const signature = chain.byOthers(address(recorded.payer), [instruction]);
    chain.mine(recorded.clockUnixSeconds);
    const [{ err }] = ask('getSignatureStatuses', [signature]).result.value;
    const { value } = ask('getAccountInfo', pass.address, { commitment: 'processed', encoding: 'base64' }).result;
    const shown = value && Buffer.from(value.data[0], 'base64').toString('hex');
    expect({ err, data: shown, lamports: value?.lamports ?? 0 }).toEqual({
      err: error && { InstructionError: [0, error] },
      data: pass.data,
      lamports: pass.lamports,
    });
  }
});

const READS: readonly (readonly [string, ...unknown[]])[] = [
  ['getSlot', { commitment: 'processed' }],
  ['getSlot', { commitment: 'confirmed' }],
  ['getEpochInfo', { commitment: 'processed' }],
  ['getLatestBlockhash', { commitment: 'processed' }],
  ['getSignaturesForAddress', NETWORK, { commitment: 'confirmed' }],
  ['getAccountInfo', 'SysvarC1ock11111111111111111111111111111111', { commitment: 'confirmed', encoding: 'base64' }],
];

it('shows through an endpoint that is behind what the endpoint showed before', () => {
  const { chain, node, ask } = aNode();
  const shownBefore: unknown[] = [];
  for (let made = 1; made <= 60; made += 1) {
    chain.byOthers(OWN, [{ kind: made % 2 === 0 ? 'burn' : 'issue', wallet: WALLETS[0], network: NETWORK }]);
    chain.mine(OPTIONS.genesisTime + made * OPTIONS.blockSeconds);
    shownBefore.unshift(READS.map(([method, ...params]) => ask(method, ...params).result));
  }
  for (const [lag, shown] of shownBefore.slice(0, 40).entries()) {
    node.lag = lag;
    const statusless = (each: unknown) => JSON.parse(JSON.stringify(each).replaceAll('"finalized"', '"confirmed"'));
    expect(statusless(READS.map(([method, ...params]) => ask(method, ...params).result))).toEqual(statusless(shown));
  }
});

it('includes the highest prices first, while their blockhash is valid', async () => {
  const { chain, node } = aNode();
  const now = OPTIONS.genesisTime;
  vi.setSystemTime(now * 1000);
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => new Response(node.answer(body)));
  const port = solana(ENABLED);
  // Each expired transaction raises the price.
  const requests = WALLETS.map((wallet, expired) => ({
    step: stepOf('issue', wallet, now + 3_600),
    noncesGivenUp: expired,
  }));
  const { results } = await port.prepare(requests, 0);
  const signed = await Promise.all(
    results.flatMap(([, result]) => (result.type === 'ready' ? result.sign(undefined) : [])),
  );
  const transactions = signed.map((each) => ({ signed: each }));
  const heldBy = () => WALLETS.map((wallet) => chain.tokensOf(wallet, NETWORK).length);

  node.swallows = true;
  await port.broadcast(transactions);
  expect(chain.waiting).toBe(0);
  node.swallows = false;
  await port.broadcast(transactions);
  expect(chain.waiting).toBe(3);
  chain.mine(now + 1, 1);
  expect(heldBy()).toEqual([0, 0, 1]);
  chain.mine(now + 2, 1);
  expect(heldBy()).toEqual([0, 1, 1]);
  chain.mine(now + 62, 1);
  expect({ held: heldBy(), waiting: chain.waiting }).toEqual({ held: [0, 1, 1], waiting: 0 });
});

it('makes blocks final by their distance, also after a pause, never takes final ones off, and admits by them', () => {
  const { chain, ask } = aNode();
  const issued = chain.byOthers(OWN, [
    { kind: 'issue', wallet: WALLETS[0], network: NETWORK, expiry: OPTIONS.genesisTime + 99 },
  ]);
  const stateOf = () =>
    ask('getSignatureStatuses', [issued], { searchTransactionHistory: true }).result.value[0]?.confirmationStatus;
  chain.mine(OPTIONS.genesisTime + 1);
  expect(stateOf()).toBe('processed');
  chain.reorganize(1, false);
  expect({ state: stateOf(), tokens: chain.tokensOf(WALLETS[0], NETWORK) }).toEqual({ state: undefined, tokens: [] });
  chain.mine(OPTIONS.genesisTime + 2);
  chain.mine(OPTIONS.genesisTime + 3);
  expect(stateOf()).toBe('confirmed');
  chain.mine(OPTIONS.genesisTime + 60);
  expect(stateOf()).toBe('finalized');
  chain.reorganize(100, true);
  expect(stateOf()).toBe('finalized');
  const admitted = () =>
    [99, 100].map((second) => chain.isValid(WALLETS[0], NETWORK, OPTIONS.genesisTime + second, 'finalized'));
  expect(admitted()).toEqual([true, false]);
  chain.byOthers(OWN, [{ kind: 'freeze', wallet: WALLETS[0], network: NETWORK }]);
  chain.mine(OPTIONS.genesisTime + 61);
  expect(admitted()).toEqual([true, false]);
  chain.mine(OPTIONS.genesisTime + 90);
  expect(admitted()).toEqual([false, false]);
});

it('has faults that each change an answer, and the same for the same random numbers', () => {
  const { chain, node } = aNode();
  const signature = chain.byOthers(COLLEAGUE, [
    { kind: 'issue', wallet: WALLETS[0], network: NETWORK, expiry: 2_000_000_000 },
  ]);
  const drawn = { commitment: 'confirmed', signature, signatures: [signature] };
  for (let made = 1; made < 5; made += 1) chain.mine(OPTIONS.genesisTime + made);
  const [token] = chain.tokensOf(WALLETS[0], NETWORK).map((each) => each.address);
  const calls = [
    ...Object.entries(RAW).flatMap(([method, paramsFor]) =>
      [0, 2, 4].map((pick) => ({ method, params: paramsFor({ ...drawn, pick }) as readonly unknown[] })),
    ),
    { method: 'getMultipleAccounts', params: [[token], { commitment: 'confirmed', encoding: 'base64' }] },
  ];
  const body = JSON.stringify([...calls, ...calls].map((call, id) => ({ jsonrpc: '2.0', id, ...call })));
  const answerWith = (name?: string) => {
    let draws = 0;
    const random = () => {
      draws += 1;
      return (draws * 0.618_033_988_7) % 1;
    };
    node.alter = name === undefined ? undefined : FAULTS[name]?.(random);
    return node.answer(body);
  };
  const truth = answerWith();
  const answers = Object.keys(FAULTS).map((name) => ({ name, one: answerWith(name), again: answerWith(name) }));
  expect(answers.filter(({ one }) => one === truth).map(({ name }) => name)).toEqual([]);
  expect(answers.filter(({ one, again }) => one !== again).map(({ name }) => name)).toEqual([]);
});
