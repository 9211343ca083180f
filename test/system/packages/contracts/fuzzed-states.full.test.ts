import { JsonRpcBatchProvider } from '@ethersproject/providers';
import { GatewayTs } from '@identity.com/gateway-eth-ts';
import fc from 'fast-check';
import { zeroAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { BUILDS } from '../../../../ops/network/gateway-build.ts';
import { contractOfBuild } from '../../../../ops/network/slim-build.ts';
import {
  CHECKER,
  compiled,
  type Deployed,
  FATES,
  type Fate,
  OTHER,
  OURS,
  useContractChain,
  walletOf,
} from './contract-chain.ts';

/** `PassGate` and the checker beside the protocol's own client, on wallets in 10,000 random states. */

const STATES = 10_000;
const SEED = 20_261_127;
/** Wallets in a call, and tokens in a transaction. */
const BATCH = 1_000;
const DAY = 86_400;

interface Token {
  readonly network: bigint;
  /** Seconds after the moment; undefined: never. */
  readonly expiresAfter: number | undefined;
  readonly fate: Fate;
}

const aToken: fc.Arbitrary<Token> = fc.record({
  network: fc.oneof({ weight: 4, arbitrary: fc.constant(OURS) }, { weight: 1, arbitrary: fc.constant(OTHER) }),
  expiresAfter: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 6, arbitrary: fc.integer({ min: -2, max: 2 }) },
    { weight: 1, arbitrary: fc.integer({ min: -DAY, max: DAY }) },
  ),
  fate: fc.oneof({ weight: 3, arbitrary: fc.constant<Fate>('active') }, fc.constantFrom(...FATES)),
});
const samples = fc.sample(fc.array(aToken, { maxLength: 3, size: 'max' }), { numRuns: STATES, seed: SEED });

/** The rule of the protocol: an active token that is not past its expiry. The second of the expiry belongs to the token. */
const isValid = (tokens: readonly Token[], network: bigint, seconds: number) =>
  tokens.some(
    (token) =>
      token.network === network &&
      token.fate === 'active' &&
      (token.expiresAfter === undefined || seconds <= token.expiresAfter),
  );

const wallets = samples.map((_, index) => walletOf(index));
const batches = <T>(all: readonly T[]) =>
  Array.from({ length: Math.ceil(all.length / BATCH) }, (_, index) => all.slice(index * BATCH, (index + 1) * BATCH));

/** Returns the tokens that SlimGateway issues: a wallet gets another one in a gatekeeper network only after a burn. */
const oneAtATime = (tokens: readonly Token[]) =>
  tokens.filter(
    ({ network }, index) =>
      !tokens.slice(0, index).some((earlier) => earlier.network === network && earlier.fate !== 'burned'),
  );

describe.each(BUILDS)('on the contract %s', (build) => {
  const GATEWAY = contractOfBuild(build);
  const states = build === 'protocol' ? samples : samples.map(oneAtATime);
  let moment: number;
  let asker: Deployed;
  const checkers = new Map<bigint, Deployed>();

  const on = useContractChain(async (chain) => {
    moment = (await chain.time()) + DAY;
    asker = await chain.deploy(compiled.contract('States.sol', 'Asker'));
    for (const slot of [OURS, OTHER]) checkers.set(slot, await chain.deploy(CHECKER, GATEWAY, slot, zeroAddress));
    const tokens = states.flatMap((each, index) =>
      each.map(({ network, fate, expiresAfter }) => {
        const expiration = expiresAfter === undefined ? 0n : BigInt(moment + expiresAfter);
        return { wallet: walletOf(index), network, fate, expiration };
      }),
    );
    for (const batch of batches(tokens)) await chain.issue(batch);
  }, build);

  /** Returns the time of the block, and for each wallet whether `hasPass`, `requirePass` and `checkAllowlist` admit it. */
  async function ask(network: bigint) {
    const checker = checkers.get(network)?.address;
    const found = await Promise.all(
      batches(wallets).map((batch) => on.chain.read<[bigint, string]>(asker, 'ask', checker, batch)),
    );
    const bytes = found.flatMap(([, answers]) => [...Buffer.from(answers.slice(2), 'hex')]);
    return { times: new Set(found.map(([time]) => Number(time))), bytes };
  }

  /** Asks the protocol's own client, which shares no code with this project. Its provider sends the calls of a batch in one request. */
  async function askClient(network: bigint): Promise<boolean[]> {
    const client = new GatewayTs(new JsonRpcBatchProvider(on.chain.url, 31_337), GATEWAY);
    const answers: boolean[] = [];
    for (const batch of batches(wallets))
      answers.push(...(await Promise.all(batch.map((wallet) => client.verify(wallet, network)))));
    return answers;
  }

  describe.each([-1, 0, 1])('%i seconds after the moment around which the tokens expire', (seconds) => {
    it(`the gate and the checker admit exactly the wallets that the client admits, of ${STATES}`, async () => {
      await on.chain.moveTo(moment + seconds);
      for (const network of [OURS, OTHER]) {
        const { times, bytes } = await ask(network);
        expect(times).toEqual(new Set([moment + seconds]));
        const expected = states.map((tokens) => isValid(tokens, network, seconds));
        expect(new Set(expected)).toEqual(new Set([true, false]));
        // Bit 0 is `hasPass`, bit 1 `requirePass`, bit 2 `checkAllowlist`.
        expect(bytes).toEqual(expected.map((valid) => (valid ? 0b111 : 0)));
        // The rule above is proven with one gatekeeper network, which halves the time of the slowest part.
        if (network === OURS) expect(await askClient(network)).toEqual(expected);
      }
    });
  });

  it('the states include each that the protocol knows, many times', () => {
    const count = (test: (tokens: readonly Token[]) => boolean) => states.filter(test).length;
    expect(count((tokens) => tokens.length === 0)).toBeGreaterThan(500);
    for (const fate of FATES)
      expect(count(([first, ...rest]) => rest.length === 0 && first?.fate === fate)).toBeGreaterThan(100);
    expect(count((tokens) => tokens.filter(({ network }) => network === OURS).length > 1)).toBeGreaterThan(
      build === 'protocol' ? 500 : 50,
    );
    expect(count((tokens) => new Set(tokens.map(({ network }) => network)).size === 2)).toBeGreaterThan(500);
    for (const second of [-1, 0, 1])
      expect(count((tokens) => isValid(tokens, OURS, second) && !isValid(tokens, OURS, second + 1))).toBeGreaterThan(
        100,
      );
  });
});
