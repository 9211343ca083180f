import fc from 'fast-check';
import { type Address, parseAbi } from 'viem';
import { NO_CHARGE } from './slim-gateway.ts';

/** Random stories of calls by several actors, for the contract 0.8.0 and the slim one side by side. */

const address = (last: string): Address => `0x${last.padStart(40, '0')}`;

/** The callers: authorities, gatekeepers and strangers. The stories give the roles. */
export const ACTORS = ['a1', 'a2', 'b1', 'b2', 'cc'].map((each) => address(`ac${each.padStart(30, '5')}`));
/** Two wallets, a contract (the reader itself), and the zero address. */
export const READER = address('4ead');
export const WALLETS: readonly Address[] = [address('77aa'), address('77ab'), READER];
export const ZERO = address('0');
/** Two slots that differ in their last byte, and slot 0. */
export const FIRST = 0x0926_6570_c875_5cb9_e9d8_ea3d_75c5_2515_14f0_eb45_c6f2_a86d_39ac_e69e_5169_8800n;
export const SLOTS = [FIRST, FIRST + 1n, 0n] as const;
export const UINT64_MAX = 2n ** 64n - 1n;
/** The functions of 0.8.0 that the slim contract lacks. */
export const LACKING = parseAbi([
  'function transferFrom(address from, address to, uint256 tokenId) payable',
  'function approve(address to, uint256 tokenId) payable',
  'function setApprovalForAll(address operator, bool approved)',
  'function renameNetwork(uint256 network, string name)',
  'function setBitmask(uint256 tokenId, uint256 mask)',
  'function balanceOf(address owner) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
]);

/** A call of a story. */
export interface Step {
  readonly by: Address;
  readonly name: string;
  readonly args: readonly unknown[];
  /** The token that is the first argument, whose id differs between the contracts. */
  readonly token?: Pair | undefined;
  readonly tokens?: readonly Pair[];
  readonly value?: bigint;
  /** Seconds that pass before it. */
  readonly after: number;
  /** The slim contract has to refuse it. */
  readonly isRefused?: boolean;
}
export interface Pair {
  readonly wallet: Address;
  readonly slot: bigint;
}

const actor = fc.constantFrom(...ACTORS);
const slot = fc.oneof(
  { weight: 6, arbitrary: fc.constant(SLOTS[0]) },
  { weight: 2, arbitrary: fc.constant(SLOTS[1]) },
  { weight: 1, arbitrary: fc.constant(SLOTS[2]) },
);
const wallet = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...WALLETS) },
  { weight: 1, arbitrary: fc.constant(ZERO) },
);
const someWallet = fc.constantFrom(...WALLETS);
/** The time at which a story begins. */
export const START = 2_000_000_000;
const expiration = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0n) },
  { weight: 8, arbitrary: fc.integer({ min: START - 3, max: START + 40 }).map(BigInt) },
  { weight: 3, arbitrary: fc.constantFrom(1n, 4_000_000_000n, UINT64_MAX, UINT64_MAX + 1n, 2n ** 256n - 1n) },
);
const charge = fc.oneof(
  { weight: 9, arbitrary: fc.constant(NO_CHARGE) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { ...NO_CHARGE, value: 1n },
      { ...NO_CHARGE, chargeType: 1 },
      { ...NO_CHARGE, token: address('1') },
      { ...NO_CHARGE, tokenSender: address('1') },
      { ...NO_CHARGE, recipient: address('1') },
    ),
  },
);
const rarely = <T>(value: T, other: T) =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: fc.constant(other) });
const name = fc.constantFrom(
  'A',
  'cidNdd9GGhpgUJRTrto1A1ayN2PKAuaW7pg1rqj6bRD',
  'Exactly thirty-two bytes of name',
  '',
);
const pair = fc.record({ wallet: someWallet, slot });
type Call = Omit<Step, 'by' | 'after'>;
const isCharged = (charge: object) => charge !== NO_CHARGE;

const ofToken = (name: string): fc.Arbitrary<Call> => pair.map((token) => ({ name, token, args: [] }));
const ofRole = (name: string): fc.Arbitrary<Call> => fc.tuple(actor, slot).map((args) => ({ name, args }));
const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({ wallet, slot, expiration, mask: rarely(0n, 1n), charge, value: rarely(0n, 1n) })
      .map(({ wallet, slot, expiration, mask, charge, value }) => ({
        name: 'mint',
        args: [wallet, slot, expiration, mask, charge],
        value,
        isRefused: mask !== 0n || isCharged(charge) || value !== 0n || expiration > UINT64_MAX,
      })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.array(someWallet, { minLength: 1, maxLength: 4 }), slot, expiration).map((args) => ({
      name: 'mintMany',
      args,
      isRefused: false,
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ token: pair, expiration, charge, value: rarely(0n, 1n) })
      .map(({ token, expiration, charge, value }) => ({
        name: 'setExpiration',
        token,
        args: [expiration, charge],
        value,
        isRefused: isCharged(charge) || value !== 0n || expiration > UINT64_MAX,
      })),
  },
  { weight: 4, arbitrary: ofToken('freeze') },
  { weight: 4, arbitrary: ofToken('unfreeze') },
  { weight: 3, arbitrary: ofToken('revoke') },
  { weight: 3, arbitrary: ofToken('burn') },
  {
    weight: 1,
    arbitrary: fc
      .array(pair, { minLength: 1, maxLength: 4 })
      .map((tokens) => ({ name: 'revokeMany', tokens, args: [] })),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ slot, name, dao: fc.constantFrom(false, false, false, true), manager: fc.constantFrom(ZERO, READER) })
      .map(({ slot, name, dao, manager }) => ({
        name: 'createNetwork',
        args: [slot, name, dao, manager],
        isRefused: name === '' || dao,
      })),
  },
  { weight: 3, arbitrary: ofRole('addGatekeeper') },
  { weight: 2, arbitrary: ofRole('removeGatekeeper') },
  { weight: 1, arbitrary: ofRole('addNetworkAuthority') },
  { weight: 1, arbitrary: ofRole('removeNetworkAuthority') },
  {
    weight: 2,
    arbitrary: fc
      .tuple(slot, fc.constantFrom(0n, 1n, 2n, 3n, 2n ** 256n - 1n))
      .map((args) => ({ name: 'setNetworkFeatures', args })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<readonly [string, readonly unknown[]]>(
        ['transferFrom', [WALLETS[0], WALLETS[1], 1n]],
        ['approve', [WALLETS[0], 1n]],
        ['setApprovalForAll', [WALLETS[0], true]],
        ['renameNetwork', [SLOTS[0], 'B']],
        ['setBitmask', [1n, 1n]],
        ['balanceOf', [WALLETS[0]]],
        ['totalSupply', []],
      )
      .map(([name, args]) => ({ name, args, isRefused: true })),
  },
);
const step: fc.Arbitrary<Step> = fc
  .tuple(call, fc.oneof({ weight: 5, arbitrary: fc.nat(1) }, { weight: 5, arbitrary: fc.nat(4) }), fc.nat(12))
  .map(([each, by, after]) => ({ ...each, by: ACTORS[by] as Address, after: Math.max(0, after - 9) }));

/** Most stories begin with two networks, two gatekeepers and a second authority of one of them. */
const beginning: readonly Step[] = [
  ['createNetwork', [SLOTS[0], 'A', false, ZERO]],
  ['createNetwork', [SLOTS[1], 'cidNdd9GGhpgUJRTrto1A1ayN2PKAuaW7pg1rqj6bRD', false, ZERO]],
  ['addGatekeeper', [ACTORS[0], SLOTS[0]]],
  ['addGatekeeper', [ACTORS[1], SLOTS[0]]],
  ['addGatekeeper', [ACTORS[0], SLOTS[1]]],
].map(([name, args]) => ({ name: name as string, args: args as unknown[], by: ACTORS[0] as Address, after: 0 }));

const by = (account: Address | undefined, name: string, ...args: readonly unknown[]): Step => ({
  ...{ by: account as Address, name, args },
  after: 0,
});
const [FIRST_KEEPER, SECOND_KEEPER] = ACTORS;

/** Calls that are rarely drawn one after another: the life of a token, and a removed gatekeeper in a network that voids its tokens. */
const life: fc.Arbitrary<readonly Step[]> = fc
  .record({
    wallet: someWallet,
    names: fc.array(fc.constantFrom('freeze', 'unfreeze', 'revoke', 'burn', 'freeze', 'unfreeze'), {
      minLength: 1,
      maxLength: 4,
    }),
    keepers: fc.infiniteStream(fc.constantFrom(FIRST_KEEPER, SECOND_KEEPER)),
    isVoid: fc.constantFrom(false, false, true),
    mask: fc.constantFrom(1n, 1n, 2n, 3n),
    until: expiration.filter((each) => each <= UINT64_MAX),
  })
  .map(({ wallet, names, keepers, isVoid, mask, until }) => {
    const token = { wallet, slot: FIRST };
    const next = () => keepers.next().value;
    const changes = names.map((name) => ({ ...by(next(), name), token }));
    const minted = by(FIRST_KEEPER, 'mint', wallet, FIRST, until, 0n, NO_CHARGE);
    if (!isVoid) return [minted, ...changes];
    return [
      minted,
      by(FIRST_KEEPER, 'setNetworkFeatures', FIRST, mask),
      by(FIRST_KEEPER, 'removeGatekeeper', FIRST_KEEPER, FIRST),
      { ...by(SECOND_KEEPER, 'setExpiration', until, NO_CHARGE), token },
      ...changes.map((each) => ({ ...each, by: SECOND_KEEPER as Address })),
      ...(mask === 1n ? [by(FIRST_KEEPER, 'addGatekeeper', FIRST_KEEPER, FIRST)] : []),
    ];
  });

export const story: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.nat(5),
    fc.array(
      fc.oneof({ weight: 5, arbitrary: step.map((each): readonly Step[] => [each]) }, { weight: 1, arbitrary: life }),
      { minLength: 6, maxLength: 14 },
    ),
  )
  .map(([start, parts]) => (start === 0 ? parts.flat() : [...beginning, ...parts.flat()]));

export const PAIRS: readonly Pair[] = SLOTS.flatMap((slot) => WALLETS.map((wallet) => ({ wallet, slot })));
