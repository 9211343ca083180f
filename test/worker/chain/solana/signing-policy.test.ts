import { AccountRole, type Address, address, type Blockhash, type Instruction } from '@solana/kit';
import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { SigningRefused } from '../../../../src/chain/port.ts';
import { change, issue } from '../../../../src/chain/solana/gateway.ts';
import type { NetworkConditions } from '../../../../src/chain/solana/network-conditions.ts';
import { type ProgramCall, signCall } from '../../../../src/chain/solana/transaction.ts';
import type { Task } from '../../../../src/pass/step-kinds.ts';
import { acting, addressOf, aStep, chainOf, devnet, freshWallet } from './node.ts';
import { readBytes } from './read-bytes.ts';

/** The last check before a signature: with any input, the key signs only transactions of the service. */

const chain = chainOf(devnet());
const { maxUnitPrice } = devnet().network;
type Bounds = Pick<NetworkConditions, 'unitPrice' | 'lifetime'>;
const sign = (call: ProgramCall, bounds: Bounds) => signCall(chain, call, bounds);
const step = aStep();
const us = await acting(step);
const wallet = step.key.wallet as string as Address;
const [first, second] = [await addressOf(step), await addressOf(step, 1)];
const STRANGER = freshWallet();
const SYSTEM = address('11111111111111111111111111111111');
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';

const bounds = (unitPrice = maxUnitPrice): Bounds => ({
  unitPrice: BigInt(unitPrice),
  lifetime: { blockhash: freshWallet() as string as Blockhash, lastValidBlockHeight: 1_000n },
});
const changed = (kind: Task['kind'], expiry?: number) => change(us, first.address, { kind, expiry }) as Instruction;

const CALLS: Readonly<Record<string, Instruction>> = {
  issue: issue(us, wallet, first, undefined),
  'issue that expires': issue(us, wallet, first, 2_000_000_000),
  'issue at another address': issue(us, wallet, second, undefined),
  'issue at another address, that expires': issue(us, wallet, second, 2_000_000_000),
  freeze: changed('freeze'),
  unfreeze: changed('unfreeze'),
  revoke: changed('revoke'),
  'update expiry': changed('set-expiry', 2_000_000_000),
};

it.each(Object.keys(CALLS))('a call of the service is signed as it is: %s', async (name) => {
  const instruction = CALLS[name] as Instruction;
  const signed = readBytes(await sign({ instruction, units: 200_000 }, bounds()));
  expect(signed).toMatchObject({ signers: [chain.gatekeeper], payer: chain.gatekeeper, lookups: [] });
  const [limit, price, call, ...more] = signed.calls;
  expect([limit?.program, price?.program]).toEqual([COMPUTE_BUDGET, COMPUTE_BUDGET]);
  expect(call).toEqual({
    program: chain.program,
    accounts: instruction.accounts?.map((each) => each.address),
    data: [...(instruction.data ?? [])],
  });
  expect(more).toEqual([]);
});

const base = CALLS.issue as Instruction;
const ours = { address: us.gatekeeper, role: AccountRole.WRITABLE_SIGNER };
const transfer = {
  programAddress: SYSTEM,
  accounts: [ours, { address: STRANGER, role: AccountRole.WRITABLE }],
  data: Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
};
const withData = (...data: number[]) => ({ ...base, data: Uint8Array.from(data) });

it.each`
  what                                         | call
  ${'moving lamports'}                         | ${{ instruction: transfer }}
  ${'the same call of another program'}        | ${{ instruction: { ...base, programAddress: STRANGER } }}
  ${'a call without data'}                     | ${{ instruction: { ...base, data: undefined } }}
  ${'making a gatekeeper'}                     | ${{ instruction: withData(0) }}
  ${'removing a gatekeeper'}                   | ${{ instruction: withData(6) }}
  ${'burning'}                                 | ${{ instruction: withData(8) }}
  ${'an instruction nobody knows'}             | ${{ instruction: withData(99, 0, 0) }}
  ${'a state that there is not'}               | ${{ instruction: withData(2, 3) }}
  ${'an issuance with more behind it'}         | ${{ instruction: withData(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }}
  ${'an issuance that is cut off'}             | ${{ instruction: withData(1, 0, 1) }}
  ${'an issuance with an option of its own'}   | ${{ instruction: withData(1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }}
  ${'a call with more behind it'}              | ${{ instruction: withData(2, 1, 0) }}
  ${'a call that is cut off'}                  | ${{ instruction: withData(3, 1, 0) }}
  ${'a call that somebody else signs as well'} | ${{ instruction: { ...base, accounts: [...(base.accounts ?? []), { address: STRANGER, role: AccountRole.READONLY_SIGNER }] } }}
  ${'a call that only somebody else signs'}    | ${{ instruction: { ...base, accounts: [{ address: STRANGER, role: AccountRole.WRITABLE_SIGNER }] } }}
  ${'a call that nobody signs'}                | ${{ instruction: { ...base, accounts: [{ address: us.gatekeeper, role: AccountRole.READONLY }] } }}
  ${'a call without accounts'}                 | ${{ instruction: { ...base, accounts: undefined } }}
  ${'more units than anything takes'}          | ${{ units: 240_001 }}
  ${'no units'}                                | ${{ units: 0 }}
  ${'half a unit'}                             | ${{ units: 0.5 }}
  ${'no number for units'}                     | ${{ units: Number.NaN }}
  ${'a price above maxUnitPrice'}              | ${{ more: bounds(maxUnitPrice + 1) }}
  ${'a price below zero'}                      | ${{ more: bounds(-1) }}
  ${'bytes that never expire'}                 | ${{ more: { lifetime: undefined } }}
  ${'bytes without the hash of a block'}       | ${{ more: { lifetime: { blockhash: '', lastValidBlockHeight: 1n } } }}
`('does not sign $what', async ({ call }) => {
  const { more, instruction = base, units = 200_000 } = call;
  await expect(sign({ instruction, units }, { ...bounds(), ...more })).rejects.toThrow(SigningRefused);
});

it('limits the compute units of a transaction to the maxUnits of its network', async () => {
  const on = (maxUnits: number) => ({ ...chain, network: { ...chain.network, maxUnits } });
  const signOn = (maxUnits: number) => signCall(on(maxUnits), { instruction: base, units: 500_000 }, bounds());
  await expect(signOn(499_999)).rejects.toThrow('invalid or above maxUnits');
  expect(readBytes(await signOn(500_000)).signers).toEqual([chain.gatekeeper]);
});

it('does not sign a call without a price', async () => {
  const priceless = { ...bounds(), unitPrice: undefined } as unknown as Bounds;
  await expect(sign({ instruction: base, units: 200_000 }, priceless)).rejects.toThrow(SigningRefused);
});

it('signs of random instructions only one call of the program by the gatekeeper, at an allowed price', async () => {
  const account = fc.record({
    address: fc.constantFrom(us.gatekeeper, first.address, wallet, STRANGER),
    role: fc.constantFrom(AccountRole.READONLY, AccountRole.WRITABLE, AccountRole.READONLY_SIGNER, ours.role),
  });
  const instruction = fc.oneof(
    fc.constantFrom(...Object.values(CALLS), transfer),
    fc.record({
      programAddress: fc.constantFrom(chain.program, SYSTEM),
      accounts: fc.array(account, { maxLength: 4 }),
      data: fc.tuple(fc.nat(9), fc.uint8Array({ maxLength: 18 })).map(([tag, rest]) => Uint8Array.of(tag, ...rest)),
    }),
  );
  const units = fc.oneof(fc.constant(200_000), fc.nat(400_000));
  let signed = 0;
  await fc.assert(
    fc.asyncProperty(instruction, units, fc.nat(maxUnitPrice * 2), async (asked, most, price) => {
      const made = await sign({ instruction: asked, units: most }, bounds(price)).catch((fault: unknown) => {
        expect(fault).toBeInstanceOf(SigningRefused);
        return undefined;
      });
      if (made === undefined) return;
      signed += 1;
      const { signers, payer, lookups, calls } = readBytes(made);
      expect({ signers, payer, lookups }).toEqual({ signers: [us.gatekeeper], payer: us.gatekeeper, lookups: [] });
      const [call, ...more] = calls.filter(({ program }) => program !== COMPUTE_BUDGET);
      expect(more).toEqual([]);
      expect(call?.program).toBe(chain.program);
      expect([1, 2, 3]).toContain(call?.data[0]);
      expect(most * price).toBeLessThanOrEqual(240_000 * maxUnitPrice);
    }),
    { numRuns: inject('form') === 'long' ? 20_000 : 1_000, seed: 20_261_121 },
  );
  expect(signed).toBeGreaterThan(20);
});
