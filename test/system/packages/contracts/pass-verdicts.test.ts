import {
  type Address,
  decodeEventLog,
  type Hex,
  hexToBytes,
  numberToHex,
  type TypedDataDomain,
  zeroAddress,
} from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { compiled, type Deployed, OTHER, OURS, useContractChain, walletOf } from './contract-chain.ts';
import {
  flipEachBit,
  joinParts,
  partsOf,
  type SignedVerdict,
  signVerdict,
  twinOf,
  VERDICT_TYPE,
  VERDICTS,
  type Verdict,
} from './verdict-message.ts';

/** Signed verdicts on two chains, neither of which has the gateway contract of the pass. */

const keyOf = (number: number): Hex => `0x${number.toString(16).padStart(64, '7')}`;
const [KEY, NEXT_KEY, UNKNOWN_KEY] = [1, 2, 3].map(keyOf) as [Hex, Hex, Hex];
const [OWNER, NEXT_OWNER, STRANGER] = [11, 12, 13].map(walletOf) as [Address, Address, Address];
/** Messages of which every bit is changed once. */
const MUTATED_MESSAGES = 14;
const CALL_SIZE = 740;
const PASS: Pick<Verdict, 'passChainId' | 'gateway' | 'gatekeeperNetwork' | 'wallet'> = {
  passChainId: 11_155_111n,
  gateway: walletOf(1),
  gatekeeperNetwork: OURS,
  wallet: walletOf(2),
};

describe.each([31_337, 8_453])('on the chain %i', (chainId) => {
  let verdicts: Deployed;
  let asker: Deployed;
  let now: bigint;
  const on = useContractChain(
    async (chain) => {
      verdicts = await chain.deploy(VERDICTS, OWNER, privateKeyToAddress(KEY));
      asker = await chain.deploy(compiled.contract('Verdicts.sol', 'VerdictAsker'));
      // The transactions of the tests each make a block, some seconds later than this at most.
      now = BigInt(await chain.time());
    },
    'protocol',
    chainId,
  );

  const domain = (): TypedDataDomain => ({ chainId, verifyingContract: asker.address });
  const aVerdict = (changes: Partial<Verdict> = {}): Verdict => ({
    ...{ ...PASS, issuedAt: now, notAfter: now + 500n },
    ...changes,
  });
  const sign = (changes: Partial<Verdict> = {}, key = KEY) => signVerdict(key, aVerdict(changes), domain());

  /** Returns for each verdict whether the contract accepts it. Throws if the contract reverts. */
  async function ask(signed: readonly SignedVerdict[], of = verdicts): Promise<boolean[]> {
    const question = [of.address, signed.map(({ verdict }) => verdict), signed.map(({ signature }) => signature)];
    return [...hexToBytes(await on.chain.read<Hex>(asker, 'ask', ...question))].map((answer) => {
      if (answer > 1) throw new Error('the contract reverts');
      return answer === 1;
    });
  }
  const isAccepted = async (signed: SignedVerdict, of = verdicts) => (await ask([signed], of))[0];

  it('accepts what a verdict key signed, for the contract that asks', async () => {
    expect(await isAccepted(await sign())).toBe(true);
  });

  it(`accepts none of ${MUTATED_MESSAGES * 1_480} messages of which one bit is changed`, async () => {
    const wallets = Array.from({ length: MUTATED_MESSAGES }, (_, index) => walletOf(100 + index));
    const signed = await Promise.all(wallets.map((wallet) => sign({ wallet })));
    expect(await ask(signed)).toEqual(signed.map(() => true));
    const mutated = signed.flatMap(flipEachBit);
    expect(mutated).toHaveLength(MUTATED_MESSAGES * 1_480);
    let accepted = 0;
    for (let at = 0; at < mutated.length; at += CALL_SIZE)
      accepted += (await ask(mutated.slice(at, at + CALL_SIZE))).filter(Boolean).length;
    expect(accepted).toBe(0);
  });

  describe('refuses a replay', () => {
    it.each<[string, Partial<Verdict>]>([
      ['for another wallet', { wallet: walletOf(3) }],
      ['for another gateway contract', { gateway: walletOf(3) }],
      ['for a pass of another chain', { passChainId: 1n }],
      ['for another gatekeeper network', { gatekeeperNetwork: OTHER }],
      ['with a later end', { notAfter: 600n }],
    ])('%s', async (_, changes) => {
      const { verdict, signature } = await sign();
      const notAfter = changes.notAfter === undefined ? verdict.notAfter : verdict.issuedAt + changes.notAfter;
      expect(await isAccepted({ verdict: { ...verdict, ...changes, notAfter }, signature })).toBe(false);
    });

    it.each<[string, TypedDataDomain]>([
      ['of another chain', { chainId: chainId + 1 }],
      ['of another contract', { verifyingContract: walletOf(3) }],
      ['of another name of the domain', { name: 'Gatepass' }],
      ['of another version', { version: '2' }],
      ['of a domain with a salt', { salt: `0x${'0'.repeat(64)}` }],
    ])('%s', async (_, other) => {
      expect(await isAccepted(await signVerdict(KEY, aVerdict(), { ...domain(), ...other }))).toBe(false);
    });

    it('by another contract, which the first one has told the message', async () => {
      const second = await on.chain.deploy(compiled.contract('Verdicts.sol', 'VerdictAsker'));
      const signed = await sign();
      const question = [verdicts.address, [signed.verdict], [signed.signature]];
      expect(await on.chain.read(second, 'ask', ...question)).toBe('0x00');
      expect(await on.chain.read(asker, 'ask', ...question)).toBe('0x01');
    });
  });

  describe('refuses a signature', () => {
    it.each<[string, (signature: Hex) => Hex]>([
      ['that is the twin of a right one', twinOf],
      ['with the recovery bit as v', (signature) => joinParts({ ...partsOf(signature), v: partsOf(signature).v - 27 })],
      [
        'with r and s exchanged',
        (signature) => {
          const { r, s, v } = partsOf(signature);
          return joinParts({ r: s, s: r, v });
        },
      ],
      [
        'of 64 bytes (EIP-2098)',
        (signature) => {
          const { r, s, v } = partsOf(signature);
          return `${r}${(BigInt(s) | (BigInt(v - 27) << 255n)).toString(16).padStart(64, '0')}`;
        },
      ],
      ['without its last byte', (signature) => signature.slice(0, -2) as Hex],
      ['with one byte more', (signature) => `${signature}00`],
      ['without bytes', () => '0x'],
    ])('%s', async (_, change) => {
      const { verdict, signature } = await sign();
      expect(await isAccepted({ verdict, signature: change(signature) })).toBe(false);
    });

    it('of nobody, also if the owner makes the zero address a key', async () => {
      await on.chain.sendAs(OWNER, verdicts, 'addKey', zeroAddress);
      const [r, verdict] = [numberToHex(0, { size: 32 }), aVerdict()];
      const signatures = [0, 27, 28, 255].map((v) => joinParts({ r, s: r, v }));
      expect(await ask(signatures.map((signature) => ({ verdict, signature })))).toEqual(signatures.map(() => false));
    });
  });

  describe('compares with the clock of the chain', () => {
    const MOMENT = 4_000_000_000n;
    it.each<[string, bigint, bigint, boolean]>([
      ['a verdict of this second', 0n, 300n, true],
      ['a verdict for ten minutes', 0n, 600n, true],
      ['a verdict for longer', 0n, 601n, false],
      ['a verdict that ends in this second', -600n, 0n, true],
      ['a verdict that has ended', -600n, -1n, false],
      ['a verdict of a clock that is a minute ahead', 60n, 660n, true],
      ['a verdict of a clock that is further ahead', 61n, 600n, false],
      ['a verdict of an hour ago for two hours', -3_600n, 3_600n, false],
      ['a verdict that ends before its beginning', 30n, 10n, false],
    ])('%s', async (_, issued, end, expected) => {
      // `eth_call` has the time of the newest block.
      if (BigInt(await on.chain.time()) < MOMENT) await on.chain.moveTo(Number(MOMENT));
      expect(await on.chain.time()).toBe(Number(MOMENT));
      expect(await isAccepted(await sign({ issuedAt: MOMENT + issued, notAfter: MOMENT + end }))).toBe(expected);
    });

    it('the highest numbers, without a revert', async () => {
      const top = 2n ** 64n - 1n;
      for (const [issuedAt, notAfter] of [
        [top, top],
        [0n, top],
        [top, 0n],
        [0n, 0n],
      ] as const)
        expect(await isAccepted(await sign({ issuedAt, notAfter }))).toBe(false);
    });
  });

  describe('the owner', () => {
    it('ends a key, whose verdicts no longer count, while the other keys count', async () => {
      const at = BigInt(await on.chain.time());
      const times = { issuedAt: at, notAfter: at + 500n };
      const [old, next] = [await sign(times), await sign(times, NEXT_KEY)];
      expect(await ask([old, next])).toEqual([true, false]);
      const { logs } = await on.chain.sendAs(OWNER, verdicts, 'addKey', privateKeyToAddress(NEXT_KEY));
      expect(logs.map(({ topics, data }) => decodeEventLog({ abi: verdicts.abi, topics, data }))).toEqual([
        { eventName: 'KeyChanged', args: { key: privateKeyToAddress(NEXT_KEY), counts: true } },
      ]);
      expect(await ask([old, next])).toEqual([true, true]);
      await on.chain.sendAs(OWNER, verdicts, 'removeKey', privateKeyToAddress(KEY));
      expect(await ask([old, next])).toEqual([false, true]);
      await on.chain.sendAs(OWNER, verdicts, 'addKey', privateKeyToAddress(KEY));
    });

    it('of another contract has keys of its own, which do not count here', async () => {
      const others = await on.chain.deploy(VERDICTS, STRANGER, privateKeyToAddress(UNKNOWN_KEY));
      const at = BigInt(await on.chain.time());
      const times = { issuedAt: at, notAfter: at + 500n };
      const [ours, theirs] = [await sign(times), await sign(times, UNKNOWN_KEY)];
      expect([await ask([ours, theirs]), await ask([ours, theirs], others)]).toEqual([
        [true, false],
        [false, true],
      ]);
    });

    it('alone changes keys, and hands over in two steps', async () => {
      const isOwner = async (by: Address) => {
        const change = (name: string) => on.chain.simulateAs(by, verdicts, name, privateKeyToAddress(UNKNOWN_KEY));
        const refusals = [await change('addKey'), await change('removeKey')];
        if (refusals.every((each) => each === undefined)) return true;
        expect(refusals).toEqual(Array(2).fill({ name: 'NotOwner', args: [by] }));
        return false;
      };
      const accounts = async () => [await isOwner(OWNER), await isOwner(NEXT_OWNER), await isOwner(STRANGER)];
      expect(await accounts()).toEqual([true, false, false]);
      await on.chain.sendAs(OWNER, verdicts, 'transferOwnership', NEXT_OWNER);
      const accept = await on.chain.simulateAs(STRANGER, verdicts, 'acceptOwnership');
      expect(accept).toEqual({ name: 'NotOwner', args: [STRANGER] });
      expect(await accounts()).toEqual([true, false, false]);
      await on.chain.sendAs(NEXT_OWNER, verdicts, 'acceptOwnership');
      expect(await accounts()).toEqual([false, true, false]);
    });
  });
});

it('the message has the fields of the contract, in their order', () => {
  const [isValid] = VERDICTS.abi.filter((each) => each.type === 'function' && each.name === 'isValid');
  const [verdict] = (isValid as { readonly inputs: readonly { readonly components: readonly unknown[] }[] }).inputs;
  expect(verdict?.components).toEqual(
    VERDICT_TYPE.types.PassVerdict.map((each) => ({ ...each, internalType: each.type })),
  );
  const changing = VERDICTS.abi.filter((each) => each.type === 'function' && each.stateMutability === 'nonpayable');
  expect(changing.map((each) => 'name' in each && each.name)).toEqual([
    'acceptOwnership',
    'addKey',
    'removeKey',
    'transferOwnership',
  ]);
});
