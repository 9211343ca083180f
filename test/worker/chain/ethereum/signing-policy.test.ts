import fc from 'fast-check';
import type { Hex } from 'viem';
import { concat, encodeFunctionData, parseAbi, parseTransaction } from 'viem/utils';
import { describe, expect, inject, it, vi } from 'vitest';
import { changeData, mintData, tokenData } from '../../../../src/chain/ethereum/gateway.ts';
import { findPolicyViolation } from '../../../../src/chain/ethereum/signing-policy.ts';
import { signCall, signTransaction } from '../../../../src/chain/ethereum/transaction.ts';
import type { UnsignedTransaction } from '../../../../src/chain/ethereum/transaction-bytes.ts';
import { type Signed, SigningRefused } from '../../../../src/chain/port.ts';
import { CIVIC_CONTRACT } from '../../../default-contract.ts';
import { keyOf, sepolia } from './node.ts';

/** The last check before a signature: with any input, the key signs only transactions of the service. */

const account = keyOf(sepolia().gatekeeper);
const { network } = sepolia();
const legacy = { ...network, fees: 'legacy' } as const;
const STRANGER = '0x00000000000000000000000000000000000000aa';
const CAP = BigInt(network.maxFeePerGas);
const PRICE = { fee: CAP, tip: 1n };
const GAS = 300_000n;
const LARGEST = 2n ** 256n - 1n;

const CALLS: Readonly<Record<string, Hex>> = {
  mint: mintData(STRANGER, 7n, undefined),
  'mint that expires': mintData(STRANGER, LARGEST, 2_000_000_000),
  setExpiration: changeData({ kind: 'set-expiry', expiry: 2_000_000_000 }, 5n),
  'setExpiration to never': changeData({ kind: 'set-expiry', expiry: undefined }, 5n),
  freeze: changeData({ kind: 'freeze', expiry: undefined }, 5n),
  unfreeze: changeData({ kind: 'unfreeze', expiry: undefined }, 5n),
  revoke: changeData({ kind: 'revoke', expiry: undefined }, LARGEST),
};

const NOBODY = `0x${'0'.repeat(40)}` as const;
const CHARGE = { value: 1n, chargeType: 2, token: STRANGER, tokenSender: STRANGER, recipient: STRANGER } as const;
const NAMED = { value: 0n, chargeType: 0, token: NOBODY, tokenSender: STRANGER, recipient: NOBODY };
const NONE = { ...NAMED, tokenSender: NOBODY };
const OTHERS = parseAbi([
  'struct Charge { uint256 value; uint8 chargeType; address token; address tokenSender; address recipient; }',
  'function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge charge) payable',
  'function burn(uint256 tokenId)',
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function transferFrom(address from, address to, uint256 tokenId)',
  'function upgradeTo(address implementation)',
]);
const mint = (mask: bigint, charge: object) =>
  encodeFunctionData({ abi: OTHERS, functionName: 'mint', args: [STRANGER, 7n, 0n, mask, { ...CHARGE, ...charge }] });

/** A valid request with overrides, also of fields that the type does not have. */
const deed = (more: object = {}): UnsignedTransaction => ({
  to: network.gateway,
  data: CALLS.mint,
  gas: GAS,
  nonce: 3,
  ...more,
});
const sign = (
  what: UnsignedTransaction,
  price = PRICE,
  on: typeof network = network,
  contract: string | undefined = what.data === undefined ? undefined : network.gateway,
) => signTransaction(account, on, contract, what, price);

describe.each([
  ['EIP-1559', network, { maxFeePerGas: CAP, maxPriorityFeePerGas: 1n }],
  ['legacy', legacy, { gasPrice: CAP }],
])('signing with %s fees', (_, on, paid) => {
  it.each(Object.keys(CALLS))('signs the call of the service as it is: %s', async (name) => {
    const data = CALLS[name] as Hex;
    const { bytes } = await sign(deed({ data }), PRICE, on);
    const to = network.gateway.toLowerCase();
    const { chainId } = network;
    const parsed = parseTransaction(bytes as Hex);
    expect(parsed).toMatchObject({ to, data, gas: GAS, nonce: 3, chainId, ...paid });
    expect(parsed.value).toBeUndefined();
  });

  it('signs an empty transaction to the gatekeeper itself, which fills a gap in the nonces', async () => {
    const { bytes } = await sign({ to: account.address, gas: 21_000n, nonce: 0 }, PRICE, on);
    expect(parseTransaction(bytes as Hex)).toMatchObject({ to: account.address.toLowerCase(), gas: 21_000n });
  });
});

it.each`
  what                                       | forbidden
  ${'a call of another contract'}            | ${deed({ to: STRANGER })}
  ${'money for somebody'}                    | ${deed({ to: STRANGER, data: undefined, value: 1n })}
  ${'nothing for somebody else'}             | ${deed({ to: STRANGER, data: undefined })}
  ${'a call of no contract: a deployment'}   | ${deed({ to: undefined })}
  ${'a call that pays the contract'}         | ${deed({ value: 1n })}
  ${'money for itself'}                      | ${deed({ to: account.address, data: undefined, value: 1n })}
  ${'a call of the contract without data'}   | ${deed({ data: undefined })}
  ${'a call of itself'}                      | ${deed({ to: account.address })}
  ${'burning'}                               | ${deed({ data: encodeFunctionData({ abi: OTHERS, functionName: 'burn', args: [5n] }) })}
  ${'making a gatekeeper'}                   | ${deed({ data: encodeFunctionData({ abi: OTHERS, functionName: 'addGatekeeper', args: [STRANGER, 7n] }) })}
  ${'moving a token'}                        | ${deed({ data: encodeFunctionData({ abi: OTHERS, functionName: 'transferFrom', args: [STRANGER, STRANGER, 5n] }) })}
  ${'replacing the contract'}                | ${deed({ data: encodeFunctionData({ abi: OTHERS, functionName: 'upgradeTo', args: [STRANGER] }) })}
  ${'reading'}                               | ${deed({ data: tokenData(5n) })}
  ${'an issuance that charges somebody'}     | ${deed({ data: mint(0n, CHARGE) })}
  ${'an issuance that names who is charged'} | ${deed({ data: mint(0n, NAMED) })}
  ${'an issuance with flags'}                | ${deed({ data: mint(1n, NONE) })}
  ${'a call with more behind it'}            | ${deed({ data: concat([CALLS.mint as Hex, '0x00']) })}
  ${'a call that is cut off'}                | ${deed({ data: (CALLS.mint as Hex).slice(0, -2) as Hex })}
  ${'a function without its arguments'}      | ${deed({ data: (CALLS.freeze as Hex).slice(0, 10) as Hex })}
  ${'more gas than anything takes'}          | ${deed({ gas: 10_000_001n })}
  ${'no gas'}                                | ${deed({ gas: 0n })}
  ${'a nonce below 0'}                       | ${deed({ nonce: -1 })}
  ${'half a nonce'}                          | ${deed({ nonce: 1.5 })}
  ${'no number for a nonce'}                 | ${deed({ nonce: Number.NaN })}
  ${'code of others for itself (EIP-7702)'}  | ${deed({ authorizationList: [] })}
  ${'blobs'}                                 | ${deed({ blobs: [] })}
`('does not sign $what', async ({ forbidden }) => {
  const signing = vi.spyOn(account, 'sign');
  await expect(sign(forbidden)).rejects.toThrow(SigningRefused);
  expect(signing).not.toHaveBeenCalled();
  signing.mockRestore();
});

it.each`
  what                               | other
  ${'of another chain'}              | ${{ chainId: 1 }}
  ${'of every chain (before 155)'}   | ${{ chainId: undefined }}
  ${'with the fees of other chains'} | ${{ type: 'legacy', gasPrice: 1n, maxFeePerGas: undefined }}
  ${'of a type that carries blobs'}  | ${{ type: 'eip4844' }}
`('the signing policy forbids a transaction $what', ({ other }) => {
  const right = { ...deed(), type: 'eip1559', chainId: network.chainId, maxFeePerGas: 1n } as const;
  expect(findPolicyViolation(right, network, account.address, network.gateway)).toBeUndefined();
  expect(findPolicyViolation({ ...right, ...other }, network, account.address, network.gateway)).toBeTypeOf('string');
});

it('the signing policy forbids an issuance in slot 1 of a mainnet, where everybody knows a gatekeeper key', () => {
  const right = { ...deed(), type: 'eip1559', chainId: network.chainId, maxFeePerGas: 1n } as const;
  const mainnet = { ...network, testnet: false };
  const violationOf = (slot: bigint, on: typeof network) =>
    findPolicyViolation({ ...right, data: mintData(STRANGER, slot, undefined) }, on, account.address, network.gateway);
  expect(violationOf(1n, mainnet)).toMatch(/slot 1/);
  expect(violationOf(2n, mainnet)).toBeUndefined();
  expect(violationOf(1n, network)).toBeUndefined();
  // Existing tokens can still be revoked.
  expect(
    findPolicyViolation({ ...right, data: CALLS.revoke }, mainnet, account.address, network.gateway),
  ).toBeUndefined();
});

it('the signing policy limits the gas of a transaction to the maxGas of its network', () => {
  const right = { ...deed(), type: 'eip1559', chainId: network.chainId, maxFeePerGas: 1n } as const;
  const violationOf = (gas: bigint, maxGas: number) =>
    findPolicyViolation({ ...right, gas }, { ...network, maxGas }, account.address, network.gateway);
  expect(violationOf(1_125_000n, 1_125_000)).toBeUndefined();
  expect(violationOf(1_125_001n, 1_125_000)).toBe('its gas limit is above maxGas: 1125001 (eth_estimateGas)');
  expect(violationOf(20_000_000n, 20_000_000)).toBeUndefined();
});

it('the signing policy allows only the contract of the step, and without a step only an empty transfer', () => {
  const right = { ...deed(), type: 'eip1559', chainId: network.chainId, maxFeePerGas: 1n } as const;
  const violationOf = (contract: string | undefined, changes: object = {}) =>
    findPolicyViolation({ ...right, ...changes }, network, account.address, contract);
  const another = { to: CIVIC_CONTRACT };
  expect(violationOf(network.gateway)).toBeUndefined();
  expect(violationOf(CIVIC_CONTRACT, another)).toBeUndefined();
  expect(violationOf(CIVIC_CONTRACT.toLowerCase(), another)).toBeUndefined();
  expect(violationOf(network.gateway, another)).toBe('it is not for the contract of its step');
  expect(violationOf(CIVIC_CONTRACT)).toBe('it is not for the contract of its step');
  for (const none of ['', '0x', network.gateway.slice(0, -1), 'gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs'])
    expect(violationOf(none, { to: none })).toBe('the contract of its step is no address');
  expect(violationOf(undefined)).toBe('it is for no step');
  const transfer = { to: account.address, data: undefined };
  expect(violationOf(undefined, transfer)).toBeUndefined();
  expect(violationOf(network.gateway, transfer)).toBe('it is not for the contract of its step');
  expect(violationOf(account.address, transfer)).toBe('it is not a call that the service makes');
});

describe('a price that the signing policy forbids', () => {
  it.each`
    what                     | price                          | on
    ${'above maxFeePerGas'}  | ${{ fee: CAP + 1n, tip: 0n }}  | ${network}
    ${'above it, legacy'}    | ${{ fee: CAP + 1n, tip: 0n }}  | ${legacy}
    ${'with a tip above it'} | ${{ fee: CAP, tip: CAP + 1n }} | ${network}
    ${'below zero'}          | ${{ fee: -1n, tip: -1n }}      | ${network}
  `('does not sign a price $what', async ({ price, on }) => {
    await expect(sign(deed(), price, on)).rejects.toThrow(SigningRefused);
  });
});

it('signs a prepared call only within the signing policy, and ignores any other fields of the call', async () => {
  const chain = { gatekeeper: account, network };
  const step = { contract: network.gateway };
  const ready = { data: CALLS.mint as Hex, gas: GAS };
  const more = { to: STRANGER, value: 5n };
  const { bytes } = await signCall(chain, step, { ...ready, ...more }, PRICE, 1);
  expect(parseTransaction(bytes as Hex)).toMatchObject({ to: network.gateway.toLowerCase(), nonce: 1 });
  expect(parseTransaction(bytes as Hex).value).toBeUndefined();
  await expect(signCall(chain, step, ready, { fee: CAP + 1n, tip: 1n }, 1)).rejects.toThrow(SigningRefused);
  await expect(signCall(chain, step, { data: tokenData(1n), gas: GAS }, PRICE, 1)).rejects.toThrow(SigningRefused);
  const priceless = {} as typeof PRICE;
  await expect(signCall(chain, step, ready, priceless, 1)).rejects.toThrow(SigningRefused);
});

const hexOf = (bytes: Uint8Array): Hex => `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
const someBytes = (size: object) => fc.uint8Array(size).map(hexOf);
/** Only few parts are wrong at once, or the first check would refuse every case. */
const mostly = <A, B>(right: fc.Arbitrary<A>, other: fc.Arbitrary<B>) =>
  fc.oneof({ arbitrary: right, weight: 3 }, { arbitrary: other, weight: 1 });
const selectors = Object.values(CALLS).map((data) => data.slice(0, 10) as Hex);

it('signs of random transactions only those that call the contract or fill a gap, at an allowed price and without value', async () => {
  const anything = fc.record({
    to: fc.oneof(
      fc.constantFrom(network.gateway, account.address, network.gateway),
      someBytes({ minLength: 20, maxLength: 20 }),
    ),
    data: mostly(
      fc.constantFrom(...Object.values(CALLS), undefined),
      fc.tuple(fc.constantFrom(...selectors), someBytes({ maxLength: 300 })).map(concat),
    ),
    gas: mostly(fc.constant(GAS), fc.bigInt(0n, 20_000_000n)),
    nonce: mostly(fc.nat(), fc.double()),
    value: mostly(fc.constant(undefined), fc.bigInt(0n, 1n)),
  });
  const price = fc.record({
    fee: mostly(fc.bigInt(0n, CAP), fc.bigInt(0n, CAP * 2n)),
    tip: mostly(fc.constant(0n), fc.bigInt(0n, CAP)),
  });
  let signed = 0;
  await fc.assert(
    fc.asyncProperty(anything, price, async ({ value, ...what }, paid) => {
      const asked = { ...what, ...(value !== undefined && { value }) } as UnsignedTransaction;
      const made = await sign(asked, paid).catch((fault: unknown): Signed | undefined => {
        expect(fault).toBeInstanceOf(SigningRefused);
        return undefined;
      });
      if (made === undefined) return;
      signed += 1;
      const parsed = parseTransaction(made.bytes as Hex);
      expect(parsed.value).toBeUndefined();
      expect(parsed.chainId).toBe(network.chainId);
      expect((parsed.gas ?? 0n) * (parsed.maxFeePerGas ?? 0n)).toBeLessThanOrEqual(10_000_000n * CAP);
      const isCall =
        parsed.to === network.gateway.toLowerCase() && selectors.includes(parsed.data?.slice(0, 10) as Hex);
      const isNothing = parsed.to === account.address.toLowerCase() && parsed.data === undefined;
      expect(isCall || isNothing).toBe(true);
    }),
    { numRuns: inject('form') === 'long' ? 20_000 : 2_000, seed: 20_261_121 },
  );
  expect(signed).toBeGreaterThan(20);
});
