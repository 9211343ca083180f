import { type Address, encodeFunctionData, type Hex, zeroAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { AUTHORITY } from '../../../../tools/localnet/ethereum/contract-node.ts';
import {
  CHECKER,
  compiled,
  type Deployed,
  GATEWAY,
  OTHER,
  OURS,
  useContractChain,
  walletOf,
} from './contract-chain.ts';

/** Gateways that fail or lie in their form, and callers that are stingy with gas. */

/** The numbers of `BadGateway` in `solidity/BadGateway.sol`. */
const MODES = {
  'reverts without a reason': 2,
  'reverts with a reason': 3,
  'burns all gas in a loop': 4,
  'ends with an invalid opcode': 5,
  'returns 2': 6,
  'returns the highest number': 7,
  'returns 1 at the wrong end of the word': 8,
  'returns 31 bytes': 9,
  'returns 33 bytes': 10,
  'returns two words': 11,
  'returns nothing': 12,
  'returns 700 kB': 13,
  'reverts with 700 kB': 14,
  'writes into its storage': 15,
  'asks the gate again, until no gas is left': 16,
  'reverts with the word for yes': 17,
} as const;
const NO = 0;
const YES = 1;
/** It answers yes, with nearly the maximum of a gateway. */
const NEARLY_ALL = 18;
const YES_WORD = `0x${'1'.padStart(64, '0')}`;

const [HOLDER, FROZEN] = [1, 2].map(walletOf) as [Address, Address];
/** Twice the gateway's maximum, with room for the gate itself. */
const ENOUGH = 5_000_000n;
/** The gateway's maximum, and a gate that does no more than ask: the transaction, its data, storage and events. */
const REFUSAL_GAS_MAX = 2_000_000n + 60_000n;

let gateway: Deployed;
let checker: Deployed;
let door: Deployed;

const on = useContractChain(async (chain) => {
  gateway = await chain.deploy(compiled.contract('BadGateway.sol', 'BadGateway'));
  checker = await chain.deploy(CHECKER, gateway.address, OURS, zeroAddress);
  door = await chain.deploy(compiled.contract('Gates.sol', 'OwnedDoor'), gateway.address, OURS, AUTHORITY);
  await chain.issue([{ wallet: HOLDER }, { wallet: FROZEN, fate: 'frozen' }]);
});

const setMode = (mode: number) => on.chain.send(gateway, 'setMode', mode);

/** Calls a function with a limit of gas. Returns its answer, or the error. */
async function callWith(gas: bigint, { address, abi }: Deployed, functionName: string, ...args: readonly unknown[]) {
  const data = encodeFunctionData({ abi, functionName, args });
  return on.chain.node.call({ to: address, data, gas }).then(
    (found) => found.data as Hex,
    () => 'reverted' as const,
  );
}

/** Returns the gas that a view uses in a transaction. */
async function gasOf({ address, abi }: Deployed, functionName: string, ...args: readonly unknown[]) {
  const data = encodeFunctionData({ abi, functionName, args });
  const hash = await on.chain.node.sendTransaction({ account: AUTHORITY, chain: null, to: address, data, gas: ENOUGH });
  const { gasUsed, status } = await on.chain.node.waitForTransactionReceipt({ hash });
  expect(status).toBe('success');
  return gasUsed;
}

describe.each(Object.entries(MODES))('a gateway that %s', (_, mode) => {
  it('means no, in the gate, in the modifier and in the checker', async () => {
    await setMode(mode);
    for (const each of [door, checker]) expect(await on.chain.read(each, 'hasPass', HOLDER)).toBe(false);
    expect(await on.chain.read(checker, 'checkAllowlist', HOLDER, GATEWAY)).toBe('0x0000');
    const refusal = { name: 'NoPass', args: [HOLDER, gateway.address, OURS] };
    expect(await on.chain.simulateAs(HOLDER, door, 'requirePass', HOLDER)).toEqual(refusal);
    await expect(on.chain.sendAs(HOLDER, door, 'enter')).rejects.toMatchObject({ revert: refusal });
  });

  it('costs its caller no more than the maximum of a gateway', async () => {
    await setMode(mode);
    expect(await gasOf(checker, 'checkAllowlist', HOLDER, GATEWAY)).toBeLessThan(REFUSAL_GAS_MAX);
  });

  it('cannot be set', async () => {
    await setMode(mode);
    await expect(on.chain.send(door, 'setGate', gateway.address, OURS)).rejects.toMatchObject({
      revert: { name: 'NotAGateway', args: [gateway.address] },
    });
  });
});

describe('a gateway that answers', () => {
  it.each([
    [YES, true, '0x0003'],
    [NO, false, '0x0000'],
  ])('%i is believed, because a gate trusts its gateway', async (mode, hasPass, flags) => {
    await setMode(mode);
    expect(await on.chain.read(door, 'hasPass', FROZEN)).toBe(hasPass);
    expect(await on.chain.read(checker, 'checkAllowlist', FROZEN, GATEWAY)).toBe(flags);
    await on.chain.send(door, 'setGate', gateway.address, OURS);
  });

  it('and loses its code later means no', async () => {
    await setMode(YES);
    const code = await on.chain.node.getCode({ address: gateway.address });
    await on.chain.node.setCode({ address: gateway.address, bytecode: '0x' });
    expect(await on.chain.read(door, 'hasPass', HOLDER)).toBe(false);
    expect(await on.chain.read(checker, 'checkAllowlist', HOLDER, GATEWAY)).toBe('0x0000');
    await on.chain.node.setCode({ address: gateway.address, bytecode: code ?? '0x' });
  });

  it('and is a proxy means what its present implementation says, and no if that has no code', async () => {
    const proxy = await on.chain.deploy(compiled.contract('BadGateway.sol', 'SwitchingProxy'), gateway.address);
    const behind = await on.chain.deploy(CHECKER, proxy.address, OURS, zeroAddress);
    const asked = () => on.chain.read(behind, 'checkAllowlist', HOLDER, GATEWAY);
    await on.chain.send({ ...gateway, address: proxy.address }, 'setMode', YES);
    expect(await asked()).toBe('0x0003');
    await on.chain.send(proxy, 'switchTo', walletOf(99));
    expect(await asked()).toBe('0x0000');
    await on.chain.send(proxy, 'switchTo', gateway.address);
    expect(await asked()).toBe('0x0003');
  });
});

describe('a caller that is stingy with gas', () => {
  let real: Deployed;
  let evictor: Deployed;
  const limits = Array.from({ length: 120 }, (_, index) => 22_000n + BigInt(index) * 20_011n);

  it('never makes a holder look like a wallet without a pass', async () => {
    real = await on.chain.deploy(compiled.contract('Gates.sol', 'FixedDoor'), GATEWAY, OURS);
    const answers = new Map<string, number>();
    // The gas of the answer, step by step around it, and far above.
    const around = Array.from({ length: 200 }, (_, index) => 40_000n + BigInt(index) * 149n);
    for (const gas of [...around, ...limits]) {
      const answer = await callWith(gas, real, 'hasPass', HOLDER);
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
    expect([...answers.keys()].toSorted()).toEqual([YES_WORD, 'reverted']);
  });

  it('never does so with a gateway that needs nearly all of its gas for its yes', async () => {
    await setMode(NEARLY_ALL);
    const answers = new Map<string, number>();
    for (let gas = 1_980_000n; gas < 2_120_000n; gas += 499n) {
      const answer = await callWith(gas, door, 'hasPass', HOLDER);
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
    expect([...answers.keys()].toSorted()).toEqual([YES_WORD, 'reverted']);
  });

  it('cannot have a holder evicted, with a low limit for the transaction or for the check', async () => {
    evictor = await on.chain.deploy(compiled.contract('Gates.sol', 'Evictor'), real.address);
    const { address, abi } = evictor;
    const send = async (gas: bigint, functionName: string, ...args: readonly unknown[]) => {
      const data = encodeFunctionData({ abi, functionName, args });
      const hash = await on.chain.node.sendTransaction({ account: AUTHORITY, chain: null, to: address, data, gas });
      await on.chain.node.waitForTransactionReceipt({ hash });
    };
    for (const gas of limits.filter((_, index) => index % 4 === 0)) {
      await send(gas + 10_000n, 'evict', HOLDER);
      await send(ENOUGH, 'evictWith', HOLDER, gas - 20_000n);
    }
    expect(await on.chain.read(evictor, 'isEvicted', HOLDER)).toBe(false);
    await send(ENOUGH, 'evict', FROZEN);
    expect(await on.chain.read(evictor, 'isEvicted', FROZEN)).toBe(true);
  });

  it('gets NotEnoughGas if the gateway fails with less than its maximum, and an answer with more', async () => {
    await setMode(MODES['burns all gas in a loop']);
    const outcomes = await Promise.all(limits.map((gas) => callWith(gas, door, 'hasPass', HOLDER)));
    const firstAnswer = outcomes.findIndex((each) => each !== 'reverted');
    expect(outcomes.slice(0, firstAnswer).every((each) => each === 'reverted')).toBe(true);
    expect(new Set(outcomes.slice(firstAnswer))).toEqual(new Set([`0x${'0'.repeat(64)}`]));
    expect(limits[firstAnswer]).toBeGreaterThan(2_000_000n);
    expect(limits[firstAnswer]).toBeLessThan(2_200_000n);
    const by = { account: AUTHORITY, gas: 1_000_000n } as const;
    expect(await on.chain.simulate(by, door, 'hasPass', HOLDER)).toEqual({ name: 'NotEnoughGas', args: [] });
  });
});

describe('a wallet with very many tokens', () => {
  // A gatekeeper of any gatekeeper network in the contract can issue them.
  it.each([
    ['of its own gatekeeper network', OURS, 89, 120],
    ['of another gatekeeper network', OTHER, 180, 240],
  ])('%s is admitted up to a number, and then refused', async (_, network, admitted, refused) => {
    const gate = await on.chain.deploy(compiled.contract('Gates.sol', 'FixedDoor'), GATEWAY, OURS);
    const wallet = walletOf(network === OURS ? 3 : 4);
    const spam = (count: number) => Array.from({ length: count }, () => ({ wallet, network, expiration: 1n }));
    await on.chain.issue([...spam(admitted), { wallet }]);
    expect(await on.chain.read(gate, 'hasPass', wallet)).toBe(true);
    await on.chain.issue(spam(refused - admitted));
    expect(await on.chain.read(gate, 'hasPass', wallet)).toBe(false);
  });
});
