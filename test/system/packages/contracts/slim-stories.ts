import fc from 'fast-check';
import {
  type Abi,
  type Address,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  keccak256,
  numberToHex,
  parseAbi,
  toBytes,
  toFunctionSelector,
} from 'viem';
import { NO_CHARGE, SLIM, tokenIdOf } from './slim-gateway.ts';

/** Random stories of calls by several actors, for the contract 0.8.0 and the slim one side by side. */

const address = (last: string): Address => `0x${last.padStart(40, '0')}`;

/** The callers: authorities, gatekeepers and strangers. The stories give the roles. */
export const ACTORS = ['a1', 'a2', 'b1', 'b2', 'cc'].map((each) => address(`ac${each.padStart(30, '5')}`));
/** Two wallets, a contract (the reader itself), and the zero address. */
export const READER = address('4ead');
const WALLETS: readonly Address[] = [address('77aa'), address('77ab'), READER];
const ZERO = address('0');
/** Two slots that differ in their last byte, and slot 0. */
const FIRST = 0x0926_6570_c875_5cb9_e9d8_ea3d_75c5_2515_14f0_eb45_c6f2_a86d_39ac_e69e_5169_8800n;
const SLOTS = [FIRST, FIRST + 1n, 0n] as const;
const UINT64_MAX = 2n ** 64n - 1n;
/** The functions of 0.8.0 that the slim contract lacks. */
const LACKING = parseAbi([
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
interface Pair {
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

export interface Log {
  readonly topics: readonly [Hex, ...Hex[]];
  readonly data: Hex;
}
export interface Result {
  readonly status: Hex;
  readonly returnData: Hex;
  readonly logs: readonly Log[];
}

const ABI: Abi = [...SLIM.abi, ...LACKING];
const encode = (functionName: string, args: readonly unknown[]) => encodeFunctionData({ abi: ABI, functionName, args });
const READER_ABI = parseAbi([
  'struct Answer { bool success; bytes data; }',
  'function read(address target, bytes[] calls) view returns (Answer[])',
]);

interface NodeCall {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly value?: Hex;
}
export interface Timed {
  readonly time: number;
  readonly call: NodeCall;
}
/** Asks the node. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Runs the calls one after another on the newest state of the node, which does not keep their effects. */
export async function simulate(ask: Ask, calls: readonly Timed[]): Promise<Result[]> {
  const blocks: { time: number; calls: NodeCall[] }[] = [];
  for (const { time, call } of calls) {
    if (blocks.at(-1)?.time !== time) blocks.push({ time, calls: [] });
    blocks.at(-1)?.calls.push(call);
  }
  const balances = Object.fromEntries(ACTORS.map((each) => [each, { balance: '0xde0b6b3a7640000' }]));
  const blockStateCalls = blocks.map(({ time, calls }) => ({
    blockOverrides: { time: numberToHex(time) },
    stateOverrides: balances,
    calls,
  }));
  const found = (await ask('eth_simulateV1', [{ blockStateCalls }, 'latest'])) as { calls: Result[] }[];
  return found.flatMap((block) => block.calls);
}

export const PAIRS: readonly Pair[] = SLOTS.flatMap((slot) => WALLETS.map((wallet) => ({ wallet, slot })));
const roleOf = (name: string) => keccak256(toBytes(name));
const [GATEKEEPER, AUTHORITY] = [roleOf('GATEKEEPER_ROLE'), roleOf('NETWORK_AUTHORITY_ROLE')];

/** Selectors of functions with a namesake. */
const VERIFY_OWNER = toFunctionSelector('verifyToken(address,uint256)');
const VERIFY_TOKEN = toFunctionSelector('verifyToken(uint256)');
const word = (value: bigint | Address) => numberToHex(BigInt(value), { size: 32 }).slice(2);

const LIST = 'getTokenIdsByOwnerAndNetwork';

/** The reads that name no token. */
const PLAIN_READS: readonly Hex[] = [
  ...[...PAIRS, { wallet: ZERO, slot: FIRST }].flatMap(({ wallet, slot }): Hex[] => [
    `${VERIFY_OWNER}${word(wallet)}${word(slot)}`,
    encode(LIST, [wallet, slot, true]),
    encode(LIST, [wallet, slot, false]),
  ]),
  ...SLOTS.flatMap((slot) => [
    encode('getNetwork', [slot]),
    encode('networkHasFeature', [slot, 0]),
    // The enumeration of features has one member.
    encode('networkHasFeature', [slot, 1]),
    ...[GATEKEEPER, AUTHORITY].map((role) => encode('getRoleAdmin', [role, slot])),
    ...ACTORS.flatMap((each) => [
      encode('isGatekeeper', [each, slot]),
      encode('isNetworkAuthority', [each, slot]),
      encode('hasRole', [AUTHORITY, slot, each]),
    ]),
  ]),
  ...['DAO_MANAGER', 'GATEKEEPER', 'NETWORK_AUTHORITY', 'DEFAULT_ADMIN'].map((each) => encode(`${each}_ROLE`, [])),
];

/** The reads of a token by its id. */
const readsOf = (id: bigint): Hex[] => [
  `${VERIFY_TOKEN}${word(id)}`,
  ...['getToken', 'ownerOf', 'slotOf', 'balanceOf', 'getExpiration', 'getIssuingGatekeeper'].map((name) =>
    encode(name, [id]),
  ),
];

const errorOf = (message: string) => encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: [message] });
const ZERO_ROLE = '0'.repeat(64);
const MINT_TO_ZERO = errorOf('ERC3525: mint to the zero address');
const READ_OF_ZERO = errorOf('ERC3525: balance query for the zero address');
const TRANSFER_VALUE = keccak256(toBytes('TransferValue(uint256,uint256,uint256)'));
const EXPIRATION = keccak256(toBytes('Expiration(uint256,uint256)'));
const FEATURES = keccak256(toBytes('NetworkFeaturesChanged(uint256,uint256)'));

/** The arguments of an event. Each has some of them. */
interface EventArgs {
  readonly tokenId: bigint;
  readonly role: Hex;
  readonly domain: bigint;
  readonly account: Address;
  readonly network: bigint;
  readonly mask: bigint;
  readonly from: Address;
  readonly to: Address;
  readonly oldSlot: bigint;
  readonly newSlot: bigint;
  readonly timestamp: bigint;
}

interface Token {
  readonly wallet: Address;
  /** -1 until the event that tells it. */
  slot: bigint;
  state: number;
  expiration: bigint;
  issuer: Address;
}

/** The state of a contract as its events tell it. */
class Witness {
  readonly tokens = new Map<bigint, Token>();
  readonly roles = new Set<string>();
  readonly features = new Map<bigint, bigint>();
  /** The networks that were created. */
  readonly networks = new Set<bigint>();

  has(role: Hex, slot: bigint, account: Address): boolean {
    return this.roles.has(`${role} ${slot} ${account.toLowerCase()}`);
  }

  /** Records an event of a call. Throws if an event breaks a rule of passes. */
  record(log: Log, { by, name }: Step): void {
    const { eventName, args } = decodeEventLog({
      abi: SLIM.abi,
      data: log.data,
      topics: log.topics as [Hex],
    }) as unknown as { eventName: string; args: EventArgs };
    const { tokenId, role, domain, account, network, mask } = args;
    if (eventName === 'RoleGranted')
      this.#change(by, name, domain, () => this.roles.add(`${role} ${domain} ${account.toLowerCase()}`));
    else if (eventName === 'RoleRevoked')
      this.#change(by, name, domain, () => this.roles.delete(`${role} ${domain} ${account.toLowerCase()}`));
    else if (eventName === 'RoleAdminChanged') this.networks.add(domain);
    else if (eventName === 'NetworkFeaturesChanged')
      this.#change(by, name, network, () => this.features.set(network, mask));
    else if (tokenId !== undefined) this.#recordToken(eventName, tokenId, args, by);
  }

  /** Only an authority changes a network, or somebody creates it. */
  #change(by: Address, name: string, slot: bigint, change: () => void): void {
    if (this.networks.has(slot) ? !this.has(AUTHORITY, slot, by) : name !== 'createNetwork')
      throw new Error(`${by} changes network ${slot} without the right`);
    change();
  }

  #recordToken(eventName: string, id: bigint, args: EventArgs, by: Address): void {
    const known = this.tokens.get(id);
    if (eventName === 'Transfer') {
      const { from, to } = args;
      if (isAddressEqual(from, ZERO)) {
        if (known) throw new Error('a wallet gets a second token of a network');
        this.tokens.set(id, { wallet: to, slot: -1n, state: 0, expiration: 0n, issuer: by });
      } else if (known === undefined || !isAddressEqual(from, known.wallet) || !isAddressEqual(to, ZERO))
        throw new Error('a token changes hands');
      else {
        this.#checkGatekeeper(known, by);
        this.tokens.delete(id);
      }
      return;
    }
    if (known === undefined) throw new Error(`${eventName} of a token that does not exist`);
    if (eventName === 'SlotChanged') {
      const { oldSlot, newSlot } = args;
      if (known.slot === -1n) {
        if (id !== tokenIdOf(known.wallet, newSlot)) throw new Error('an id does not follow from slot and wallet');
        known.slot = newSlot;
      } else if (oldSlot !== known.slot || newSlot !== 0n) throw new Error('a token changes its network');
    }
    this.#checkGatekeeper(known, by);
    if (known.state === 2 && eventName !== 'Revoke' && eventName !== 'SlotChanged')
      throw new Error(`${eventName} of a revoked token`);
    if (eventName === 'Freeze') known.state = 1;
    if (eventName === 'Unfreeze') known.state = 0;
    if (eventName === 'Revoke') known.state = 2;
    if (eventName === 'Expiration') known.expiration = args.timestamp;
  }

  #checkGatekeeper({ slot }: Token, by: Address): void {
    if (!this.has(GATEKEEPER, slot, by)) throw new Error(`${by} changes a token without the right`);
  }
}

/** A moment of a story, in which everything is read: after that many steps. */
const momentsOf = (steps: readonly Step[]) => new Set([Math.ceil(steps.length / 2), steps.length]);

/** The data of a call of the slim contract, or of 0.8.0 with its ids. */
function dataOf({ name, args, token, tokens }: Step, idOf: (pair: Pair) => bigint): Hex {
  if (tokens) return encode(name, [tokens.map(idOf)]);
  return encode(name, token ? [idOf(token), ...args] : args);
}

const newIdOf = ({ wallet, slot }: Pair) => tokenIdOf(wallet, slot);
const readCall = (time: number, target: Address, reads: readonly Hex[]): Timed => {
  const data = encodeFunctionData({ abi: READER_ABI, functionName: 'read', args: [target, reads] });
  return { time, call: { from: ZERO, to: READER, data } };
};
const answersIn = ({ returnData }: Result) =>
  decodeFunctionResult({ abi: READER_ABI, functionName: 'read', data: returnData });
const errorNameIn = (data: Hex): string => {
  try {
    return decodeErrorResult({ abi: SLIM.abi, data }).errorName;
  } catch {
    return data;
  }
};

export interface Contracts {
  readonly slim: Address;
  /** Undefined: only the invariants are checked. */
  readonly old: Address | undefined;
}

/** The differences between the contracts, each with the row of the README of the package that lists it. */
export const DIFFERENCES = {
  'a second mint': 'a second `mint` for a wallet and network',
  'an expiration above 2^64 - 1': 'an expiration above 2^64 − 1',
  'a charge, value, flags, a DAO or a lacking function': 'charge, value, flags',
  'an empty name': 'a network with an empty name',
  'mint to the zero address': '`mint` to the zero address',
  'a role in a network that does not exist': 'roles in a network that does not exist',
  TransferValue: '`mint`, `burn`',
  'Expiration of a mint': '`mint` with an expiry',
  NetworkFeaturesChanged: '`setNetworkFeatures`',
} as const;
export type Difference = keyof typeof DIFFERENCES;

/**
 * Runs a story on both contracts. Returns the differences that occurred. Throws if the slim contract breaks an invariant, or differs from
 * 0.8.0 in another point.
 */
export async function checkStory(ask: Ask, { slim, old }: Contracts, steps: readonly Step[]): Promise<Difference[]> {
  const seen: Difference[] = [];
  const moments = momentsOf(steps);
  const calls: Timed[] = [];
  const at: { step: number; read: number | undefined }[] = [];
  let time = START;
  const times = steps.map(({ after }) => (time += after));
  const reads = [...PLAIN_READS, ...PAIRS.flatMap((pair) => readsOf(newIdOf(pair)))];
  for (const [index, step] of steps.entries()) {
    const call = {
      from: step.by,
      to: slim,
      data: dataOf(step, newIdOf),
      ...(step.value && { value: numberToHex(step.value) }),
    };
    calls.push({ time: times[index] as number, call });
    const isRead = moments.has(index + 1);
    at.push({ step: calls.length - 1, read: isRead ? calls.length : undefined });
    if (isRead) calls.push(readCall(times[index] as number, slim, reads));
  }
  const results = await simulate(ask, calls);
  const plan = new OldPlan(old);
  const witness = new Witness();
  const compared: (() => void)[] = [];
  for (const [index, step] of steps.entries()) {
    const { step: position, read } = at[index] as (typeof at)[number];
    const result = results[position] as Result;
    const fail = (why: string): never => {
      const story = steps.slice(0, index + 1).map(({ by, name, args, token }) => [by.slice(-2), name, token, args]);
      const text = JSON.stringify(story, (_, value) => (typeof value === 'bigint' ? String(value) : value));
      throw new Error(`step ${index + 1}, ${step.name}: ${why}\n${text}`);
    };
    try {
      const justified = justify(step, result, witness);
      if (justified) seen.push(justified);
      const before = new Map(witness.tokens);
      for (const log of result.logs) witness.record(log, step);
      if (old)
        compared.push(...plan.add(step, times[index] as number, result, { before, witness, justified, seen, fail }));
    } catch (fault) {
      fail((fault as Error).message);
    }
    if (read === undefined) continue;
    const answers = answersIn(results[read] as Result);
    checkTokens(answers, witness, fail);
    checkReads(answers.slice(PLAIN_READS.length), witness, times[index] as number, fail);
    checkRights(answers, witness, fail);
    if (old) compared.push(plan.addReads(times[index] as number, answers, witness, fail));
  }
  if (old) {
    await plan.run(ask);
    for (const compare of compared) compare();
  }
  return seen;
}

type Answers = ReturnType<typeof answersIn>;

/** A wallet has one token of a network or none, as the events tell. No event tells of a token that no wallet has. */
function checkTokens(answers: Answers, witness: Witness, fail: (why: string) => never): void {
  const owned = PAIRS.filter((pair) => {
    const has = witness.tokens.has(newIdOf(pair));
    const { data } =
      answers[PLAIN_READS.indexOf(encode(LIST, [pair.wallet, pair.slot, false]))] ?? fail('it is not read');
    if (data !== encodeAbiParameters([{ type: 'uint256[]' }], [has ? [newIdOf(pair)] : []]))
      fail(`${pair.wallet} has other tokens than the events tell: ${data}`);
    return has;
  });
  if (witness.tokens.size !== owned.length) fail('an event tells of a token that no wallet has');
}

/** The events reproduce owner, network, state, expiry and validity of each token. */
function checkReads(answers: Answers, witness: Witness, time: number, fail: (why: string) => never): void {
  const count = readsOf(0n).length;
  for (const [index, pair] of PAIRS.entries()) {
    const [verify, token, , slot, , , issuer] = answers.slice(index * count, (index + 1) * count);
    const known = witness.tokens.get(newIdOf(pair));
    if (token?.success !== (known !== undefined)) fail('the events do not tell whether a token exists');
    if (known === undefined || !token || !slot || !verify || !issuer) continue;
    const [owner, state, , expiration] = decodeFunctionResult({
      abi: SLIM.abi,
      functionName: 'getToken',
      data: token.data,
    }) as [Address, number, string, bigint];
    const isVoid =
      ((witness.features.get(known.slot) ?? 0n) & 1n) === 1n && !witness.has(GATEKEEPER, known.slot, known.issuer);
    const isValid = known.state === 0 && !isVoid && (known.expiration === 0n || BigInt(time) <= known.expiration);
    const told = [known.wallet, known.state, known.expiration, known.slot, isValid, known.issuer].map(String).join();
    const found = [
      owner,
      state,
      expiration,
      BigInt(slot.data),
      BigInt(verify.data) === 1n,
      `0x${issuer.data.slice(-40)}`,
    ];
    if (found.map(String).join().toLowerCase() !== told.toLowerCase())
      fail(`the events tell ${told}, and the contract ${found.join()}`);
  }
}

/** The events reproduce the rights and the features of each network. */
function checkRights(answers: Answers, witness: Witness, fail: (why: string) => never): void {
  const answerOf = (name: string, args: readonly unknown[]) =>
    BigInt(answers[PLAIN_READS.indexOf(encode(name, args))]?.data ?? fail(`${name} is not read`)) === 1n;
  for (const slot of SLOTS) {
    if (answerOf('networkHasFeature', [slot, 0]) !== (((witness.features.get(slot) ?? 0n) & 1n) === 1n))
      fail('the events do not tell the features of a network');
    for (const each of ACTORS) {
      if (answerOf('isGatekeeper', [each, slot]) !== witness.has(GATEKEEPER, slot, each))
        fail('the events do not tell the gatekeepers of a network');
      if (answerOf('isNetworkAuthority', [each, slot]) !== witness.has(AUTHORITY, slot, each))
        fail('the events do not tell the authorities of a network');
    }
  }
}

/** Returns the difference for which the slim contract alone reverts. Throws if it has no reason, or does not revert with a reason. */
function justify(step: Step, { status, returnData }: Result, witness: Witness): Difference | undefined {
  if (status === '0x1') {
    if (step.isRefused) throw new Error('it is not refused');
    return undefined;
  }
  const name = errorNameIn(returnData);
  const expects = (holds: boolean, difference: Difference) => {
    if (!holds) throw new Error(`it reverts with ${name}`);
    return difference;
  };
  const hasHugeNumber = step.args.some(
    (each) => typeof each === 'bigint' && each > UINT64_MAX && each !== FIRST && each !== FIRST + 1n,
  );
  if (name === 'SlimGateway__TokenExists') {
    const id = tokenIdOf(step.args[0] as Address, step.args[1] as bigint);
    return expects(
      step.name === 'mint' && witness.tokens.has(id) && BigInt(`0x${returnData.slice(10)}`) === id,
      'a second mint',
    );
  }
  if (name === 'SlimGateway__ExpirationTooLarge') return expects(hasHugeNumber, 'an expiration above 2^64 - 1');
  if (name === 'GatewayToken__EmptyNetworkName') return expects(step.args[1] === '', 'an empty name');
  if (name === 'SlimGateway__NotSupported')
    return expects(step.isRefused === true, 'a charge, value, flags, a DAO or a lacking function');
  return undefined;
}

interface Context {
  /** The tokens before the step. */
  readonly before: ReadonlyMap<bigint, Token>;
  readonly witness: Witness;
  readonly justified: Difference | undefined;
  readonly seen: Difference[];
  readonly fail: (why: string) => never;
}

/** The positions of token ids in the topics of events. */
const ID_TOPIC = new Map([
  ...[
    'Freeze(uint256)',
    'Unfreeze(uint256)',
    'Revoke(uint256)',
    'Expiration(uint256,uint256)',
    'SlotChanged(uint256,uint256,uint256)',
  ].map((each) => [keccak256(toBytes(each)), 1] as const),
  [keccak256(toBytes('Transfer(address,address,uint256)')), 3] as const,
]);
const ID_ERRORS = new Set(
  [
    'TokenDoesNotExist(uint256)',
    'TokenDoesNotExistOrIsInactive(uint256,bool)',
    'TokenInvalidStateForOperation(uint256,uint8,uint8)',
  ].map((each) => toFunctionSelector(`GatewayToken__${each}`)),
);
const IDS = toFunctionSelector('getTokenIdsByOwnerAndNetwork(address,uint256,bool)');

/** The calls of a story on 0.8.0. It numbers its tokens, so their ids follow from the mints that succeed on the slim contract. */
class OldPlan {
  readonly #calls: Timed[] = [];
  #results: readonly Result[] = [];
  readonly #ids = new Map<bigint, bigint>();
  readonly #newIds = new Map<bigint, bigint>();
  #next = 1n;
  readonly #to: Address;

  constructor(to: Address = ZERO) {
    this.#to = to;
    for (const [index, pair] of PAIRS.entries()) this.#newIds.set(1_000_000n + BigInt(index), newIdOf(pair));
  }

  async run(ask: Ask): Promise<void> {
    this.#results = await simulate(ask, this.#calls);
  }

  #idOf = (pair: Pair): bigint =>
    this.#ids.get(newIdOf(pair)) ??
    1_000_000n + BigInt(PAIRS.findIndex((each) => each.wallet === pair.wallet && each.slot === pair.slot));

  #call(time: number, step: Step, name: string, args: readonly unknown[]): number {
    const data = encode(name, args);
    return this.#calls.push({ time, call: { from: step.by, to: this.#to, data } }) - 1;
  }

  /** Adds the calls that do the same as a step on the slim contract. Returns the comparisons. */
  add(step: Step, time: number, result: Result, context: Context): (() => void)[] {
    const { justified, before, witness, fail } = context;
    if (justified === 'a second mint') {
      const position = this.#call(time, step, 'getTokenIdsByOwnerAndNetwork', [step.args[0], step.args[1], false]);
      return [
        () => BigInt(`0x${this.#results[position]?.returnData.slice(66, 130)}`) > 0n || fail('there is no first token'),
      ];
    }
    if (justified) return [];
    const has = (pair: Pair) => before.has(newIdOf(pair));
    const positions: number[] = [];
    if (step.name === 'mintMany' || step.name === 'revokeMany') {
      const [wallets, slot, expiration] = step.args as [Address[], bigint, bigint];
      const slots = step.tokens?.filter(has).map((each) => each.slot) ?? [slot];
      if (result.status !== '0x1') {
        if (slots.every((each) => witness.has(GATEKEEPER, each, step.by))) fail('a gatekeeper is refused');
        return [];
      }
      for (const token of step.tokens?.filter(has) ?? [])
        positions.push(this.#call(time, step, 'revoke', [this.#idOf(token)]));
      for (const wallet of new Set(step.tokens ? [] : wallets))
        if (!has({ wallet, slot }))
          positions.push(this.#call(time, step, 'mint', [wallet, slot, expiration, 0n, NO_CHARGE]));
    } else
      positions.push(
        this.#calls.push({ time, call: { from: step.by, to: this.#to, data: dataOf(step, this.#idOf) } }) - 1,
      );
    this.#follow(result.logs);
    const isNetwork = witness.networks.has(step.args[1] as bigint);
    return [
      () =>
        this.#compare(
          step,
          result,
          positions.map((each) => this.#results[each] as Result),
          isNetwork,
          context,
        ),
    ];
  }

  /** Notes the ids of issued and burned tokens. */
  #follow(logs: readonly Log[]): void {
    for (const { topics } of logs) {
      const [event, from, , id] = topics;
      if (ID_TOPIC.get(event) !== 3 || id === undefined) continue;
      if (BigInt(from as Hex) === 0n) {
        this.#ids.set(BigInt(id), this.#next);
        this.#newIds.set(this.#next++, BigInt(id));
      } else this.#ids.delete(BigInt(id));
    }
  }

  #newWord = (hex: string): string => {
    const id = BigInt(`0x${hex.replace(/^0x/, '')}`);
    return word(this.#newIds.get(id) ?? id);
  };

  #compare(step: Step, result: Result, olds: readonly Result[], isNetwork: boolean, { seen, fail }: Context): void {
    const reverted = olds.find(({ status }) => status !== '0x1');
    if (step.name === 'mint' && result.returnData === READ_OF_ZERO && reverted?.returnData === MINT_TO_ZERO) {
      seen.push('mint to the zero address');
      return;
    }
    const oldError = reverted && this.#mapError(reverted.returnData);
    const isUnknown = (step.name.startsWith('add') || step.name.startsWith('remove')) && !isNetwork;
    if (isUnknown && oldError === result.returnData.replace(AUTHORITY.slice(2), ZERO_ROLE)) {
      seen.push('a role in a network that does not exist');
      return;
    }
    const error = result.status === '0x1' ? undefined : result.returnData;
    if (error !== oldError) fail(`it ends with ${error}, and in 0.8.0 with ${oldError}`);
    const logs = result.logs.filter(({ topics: [event] }) => {
      const difference =
        event === FEATURES
          ? 'NetworkFeaturesChanged'
          : event === EXPIRATION && step.name.startsWith('mint') && 'Expiration of a mint';
      if (difference) seen.push(difference);
      return !difference;
    });
    const oldLogs = olds
      .flatMap((each) => each.logs)
      .filter(({ topics: [event] }) => {
        if (event === TRANSFER_VALUE) seen.push('TransferValue');
        return event !== TRANSFER_VALUE;
      });
    const textOf = (all: readonly Log[], mapId: (id: string) => string) =>
      all
        .map(({ topics, data }) =>
          [...topics.map((each, at) => (at === ID_TOPIC.get(topics[0]) ? `0x${mapId(each)}` : each)), data].join(),
        )
        .join('\n');
    const [found, expected] = [textOf(logs, (id) => id.slice(2)), textOf(oldLogs, this.#newWord)];
    if (found !== expected) fail(`it emits\n${found}\nand 0.8.0\n${expected}`);
  }

  #mapError = (data: Hex): Hex =>
    ID_ERRORS.has(data.slice(0, 10) as Hex)
      ? `0x${data.slice(2, 10)}${this.#newWord(data.slice(10, 74))}${data.slice(74)}`
      : data;

  /** Adds the reads of all facts. Returns the comparison. */
  addReads(time: number, answers: Answers, _: Witness, fail: (why: string) => never): () => void {
    const reads = [...PLAIN_READS, ...PAIRS.flatMap((pair) => readsOf(this.#idOf(pair)))];
    const position = this.#calls.push(readCall(time, this.#to, reads)) - 1;
    return () => {
      const olds = answersIn(this.#results[position] as Result);
      for (const [index, old] of olds.entries()) {
        const answer = answers[index];
        const isIds = reads[index]?.startsWith(IDS) && old.success && old.data.length > 130;
        const data = isIds
          ? `${old.data.slice(0, 130)}${this.#newWord(old.data.slice(130))}`
          : this.#mapError(old.data);
        if (answer?.success !== old.success || answer.data !== data)
          fail(`${reads[index]} answers ${answer?.data}, and in 0.8.0 ${data}`);
      }
    };
  }
}
