import type { Hex } from 'viem';
import { keccak256 } from 'viem/utils';
import {
  addressOf,
  hashOf,
  lower,
  NOBODY,
  selectorIn,
  selectorOf,
  type Words,
  wordIn,
  wordsOf,
  wordsOfText,
} from './words.ts';

/**
 * The rules of GatewayToken 0.8.0 and of SlimGateway, as a pure function from the state before a call to the state after it. Addresses are
 * in lower case. Left out are charges, bitmasks, metadata, gatekeeper networks that a DAO governs, changes of authorities and super
 * admins, and calls for many tokens: they revert.
 */

export type Build = 'gatewayToken' | 'slim';

export const ACTIVE = 0;
export const FROZEN = 1;
export const REVOKED = 2;

export interface GatewayToken {
  readonly id: bigint;
  readonly owner: Hex;
  readonly slot: bigint;
  readonly state: typeof ACTIVE | typeof FROZEN | typeof REVOKED;
  /** Unix seconds; 0: never. */
  readonly expiration: bigint;
  /** The gatekeeper that issued it. */
  readonly issuer: Hex;
}

/** The state of one contract. */
export interface Gateway {
  readonly build: Build;
  /** Undefined: the contract is no proxy. */
  readonly implementation: Hex | undefined;
  readonly minted: bigint;
  readonly tokens: ReadonlyMap<bigint, GatewayToken>;
  /** The ids of each owner's tokens, in the order in which the contract lists them. */
  readonly owned: ReadonlyMap<Hex, readonly bigint[]>;
  /** The features of each gatekeeper network, by its slot. */
  readonly networks: ReadonlyMap<bigint, bigint>;
  /** The roles that accounts have, named by `nameOfRole`. */
  readonly roles: ReadonlySet<string>;
  readonly superAdmins: ReadonlySet<Hex>;
  readonly forwarders: ReadonlySet<Hex>;
}

const GATEKEEPER = hashOf('GATEKEEPER_ROLE');
const AUTHORITY = hashOf('NETWORK_AUTHORITY_ROLE');
const NO_ROLE: Hex = `0x${wordsOf(0)}`;
/** The feature by which the tokens of a removed gatekeeper are void. */
const REMOVAL_VOIDS_TOKENS = 1n;

const nameOfRole = (role: Hex, slot: bigint, account: Hex) => `${role} ${slot} ${account}`;

export interface Log {
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** A call failed. The data is that of the contract's error; `0x` for none. */
export class Revert extends Error {
  readonly data: Hex;

  constructor(data: string) {
    super('execution reverted');
    this.data = data as Hex;
  }
}

const failure = (signature: string) => {
  const selector = selectorOf(signature);
  return (...values: Words) => new Revert(selector + wordsOf(...values));
};
const unauthorized = failure('Common__Unauthorized(address,uint256,bytes32)');
const notSuperAdmin = failure('Common__NotSuperAdmin(address)');
const networkExists = failure('GatewayToken__NetworkAlreadyExists(uint256)');
const absentOrInactive = failure('GatewayToken__TokenDoesNotExistOrIsInactive(uint256,bool)');
const wrongState = failure('GatewayToken__TokenInvalidStateForOperation(uint256,uint8,uint8)');
const tokenExists = failure('SlimGateway__TokenExists(uint256)');
const notSupported = (selector: Hex) =>
  new Revert(selectorOf('SlimGateway__NotSupported(bytes4)') + selector.slice(2).padEnd(64, '0'));
const text = (message: string) => new Revert(selectorOf('Error(string)') + wordsOfText(message));

const EVENTS: Readonly<Record<string, Hex>> = Object.fromEntries(
  [
    ...['Transfer(address,address,uint256)', 'SlotChanged(uint256,uint256,uint256)'],
    ...['TransferValue(uint256,uint256,uint256)', 'Freeze(uint256)', 'Unfreeze(uint256)', 'Revoke(uint256)'],
    ...['Expiration(uint256,uint256)', 'RoleGranted(bytes32,uint256,address,address)', 'Upgraded(address)'],
    ...['RoleRevoked(bytes32,uint256,address,address)', 'RoleAdminChanged(bytes32,uint256,bytes32,bytes32)'],
    'NetworkFeaturesChanged(uint256,uint256)',
  ].map((signature) => [signature.split('(')[0], hashOf(signature)]),
);

const withEntry = <K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> => new Map(map).set(key, value);
const withMember = <T>(set: ReadonlySet<T>, member: T, isIn: boolean): ReadonlySet<T> =>
  new Set(isIn ? [...set, member] : [...set].filter((each) => each !== member));

/** Whether the tokens of removed gatekeepers are void in a gatekeeper network. */
const voidsTokensOfRemoved = ({ networks }: Gateway, slot: bigint) =>
  ((networks.get(slot) ?? 0n) & REMOVAL_VOIDS_TOKENS) !== 0n;

/** Whether a token is ACTIVE, and not void because of its issuer. It may be expired. */
const isActive = (gateway: Gateway, { state, slot, issuer }: GatewayToken): boolean =>
  state === ACTIVE && (!voidsTokensOfRemoved(gateway, slot) || gateway.roles.has(nameOfRole(GATEKEEPER, slot, issuer)));

/** Whether the contract admits the owner because of this token at that time (Unix seconds). The second of the expiry still counts. */
export const isTokenValid = (gateway: Gateway, token: GatewayToken, time: number): boolean =>
  isActive(gateway, token) && (token.expiration === 0n || BigInt(time) <= token.expiration);

/** Returns the tokens of a wallet in a gatekeeper network, in the order in which the contract lists them. */
export const tokensIn = ({ owned, tokens }: Gateway, owner: Hex, slot: bigint): GatewayToken[] =>
  (owned.get(owner) ?? []).map((id) => tokens.get(id) as GatewayToken).filter((token) => token.slot === slot);

/** One call while it runs. */
class Run {
  gateway: Gateway;
  readonly logs: Log[] = [];
  readonly sender: Hex;
  readonly data: Hex;

  constructor(gateway: Gateway, sender: Hex, data: Hex) {
    this.gateway = gateway;
    // ERC-2771: a forwarder names the account for which it acts behind the arguments.
    this.sender = gateway.forwarders.has(sender) ? `0x${data.slice(-40).toLowerCase()}` : sender;
    this.data = data;
  }

  word(index: number): bigint {
    const word = wordIn(this.data, index);
    if (word === undefined) throw new Revert('0x');
    return word;
  }

  address(index: number): Hex {
    return addressOf(this.word(index));
  }

  change(change: Partial<Gateway>): void {
    this.gateway = { ...this.gateway, ...change };
  }

  /** Returns the output of a function that ends with the event. */
  emit(event: string, topics: Words, ...data: Words): string {
    const indexed = topics.map((each): Hex => `0x${wordsOf(each)}`);
    this.logs.push({ topics: [EVENTS[event] as Hex, ...indexed], data: `0x${wordsOf(...data)}` });
    return '';
  }

  has(role: Hex, slot: bigint, account: Hex): boolean {
    return this.gateway.roles.has(nameOfRole(role, slot, account));
  }

  demand(role: Hex, slot: bigint): void {
    if (!this.has(role, slot, this.sender)) throw unauthorized(this.sender, slot, role);
  }

  demandSuperAdmin(): void {
    if (!this.gateway.superAdmins.has(this.sender)) throw notSuperAdmin(this.sender);
  }

  setRole(role: Hex, slot: bigint, account: Hex, isGranted: boolean): string {
    if (this.has(role, slot, account) === isGranted) return '';
    this.change({ roles: withMember(this.gateway.roles, nameOfRole(role, slot, account), isGranted) });
    return this.emit(isGranted ? 'RoleGranted' : 'RoleRevoked', [role, account, this.sender], slot);
  }

  /** Returns the token whose id is the first argument. */
  token(): GatewayToken {
    const token = this.gateway.tokens.get(this.word(0));
    if (token === undefined) throw text('ERC3525: invalid token ID');
    return token;
  }

  /** Reverts for a token that is not ACTIVE, or void. */
  demandActive(token: GatewayToken): void {
    if (!isActive(this.gateway, token)) throw absentOrInactive(token.id, true);
  }
}

const CHARGE = '(uint256,uint8,address,address,address)';

/** The functions of a build by signature. Each returns the words of its output. */
type Functions = Readonly<Record<string, (run: Run) => string>>;

const FUNCTIONS: Functions = {
  [`mint(address,uint256,uint256,uint256,${CHARGE})`](run) {
    const [owner, slot, expiration] = [run.address(0), run.word(1), run.word(2)];
    run.demand(GATEKEEPER, slot);
    if (owner === NOBODY) throw text('ERC3525: mint to the zero address');
    const { minted, tokens, owned } = run.gateway;
    const id = minted + 1n;
    const token = { id, owner, slot, state: ACTIVE, expiration, issuer: run.sender } as const;
    const ids = [...(owned.get(owner) ?? []), id];
    run.change({ minted: id, tokens: withEntry(tokens, id, token), owned: withEntry(owned, owner, ids) });
    run.emit('Transfer', [NOBODY, owner, id]);
    run.emit('SlotChanged', [id, 0n, slot]);
    return run.emit('TransferValue', [0n, id], 1n);
  },
  'burn(uint256)'(run) {
    const { id, owner, slot } = run.token();
    run.demand(GATEKEEPER, slot);
    const ids = run.gateway.owned.get(owner) ?? [];
    // The last one takes the place of the burned one.
    const left = ids.map((each) => (each === id ? (ids.at(-1) as bigint) : each)).slice(0, -1);
    const tokens = new Map(run.gateway.tokens);
    tokens.delete(id);
    run.change({ tokens, owned: withEntry(run.gateway.owned, owner, left) });
    run.emit('TransferValue', [id, 0n], 1n);
    run.emit('SlotChanged', [id, slot, 0n]);
    return run.emit('Transfer', [owner, NOBODY, id]);
  },
  'freeze(uint256)': changesToken('Freeze', (run, token) => {
    run.demandActive(token);
    return { ...token, state: FROZEN };
  }),
  'unfreeze(uint256)': changesToken('Unfreeze', (_, token) => {
    if (token.state !== FROZEN) throw wrongState(token.id, token.state, FROZEN);
    return { ...token, state: ACTIVE };
  }),
  'revoke(uint256)': changesToken('Revoke', (_, token) => ({ ...token, state: REVOKED })),
  [`setExpiration(uint256,uint256,${CHARGE})`]: changesToken('Expiration', (run, token) => {
    run.demandActive(token);
    return { ...token, expiration: run.word(1) };
  }),
  'createNetwork(uint256,string,bool,address)'(run) {
    const slot = run.word(0);
    if (run.word(2) !== 0n) throw new Revert('0x');
    if (run.gateway.networks.has(slot)) throw networkExists(slot);
    run.change({ networks: withEntry(run.gateway.networks, slot, 0n) });
    run.setRole(AUTHORITY, slot, run.sender, true);
    run.emit('RoleAdminChanged', [AUTHORITY, 0n, AUTHORITY], slot);
    return run.emit('RoleAdminChanged', [GATEKEEPER, 0n, AUTHORITY], slot);
  },
  'setNetworkFeatures(uint256,uint256)'(run) {
    run.demand(AUTHORITY, run.word(0));
    run.change({ networks: withEntry(run.gateway.networks, run.word(0), run.word(1)) });
    return '';
  },
  'addGatekeeper(address,uint256)': setsGatekeeper(true),
  'removeGatekeeper(address,uint256)': setsGatekeeper(false),
  'addForwarder(address)': setsForwarder(true),
  'removeForwarder(address)': setsForwarder(false),
  'upgradeTo(address)'(run) {
    run.demandSuperAdmin();
    run.change({ implementation: run.address(0) });
    return run.emit('Upgraded', [run.word(0)]);
  },

  'getTokenIdsByOwnerAndNetwork(address,uint256,bool)'(run) {
    if (run.address(0) === NOBODY) throw text('ERC3525: balance query for the zero address');
    if (run.word(2) !== 0n) throw new Revert('0x');
    const tokens = tokensIn(run.gateway, run.address(0), run.word(1));
    return wordsOf(32, tokens.length, ...tokens.map(({ id }) => id));
  },
  'getToken(uint256)'(run) {
    const { owner, state, expiration } = run.token();
    return wordsOf(owner, state, 160, expiration, 0, 0);
  },
  'slotOf(uint256)': (run) => wordsOf(run.token().slot),
  'isGatekeeper(address,uint256)': (run) => wordsOf(run.has(GATEKEEPER, run.word(1), run.address(0))),
  'networkHasFeature(uint256,uint8)'(run) {
    // The enumeration has one member.
    if (run.word(1) !== 0n) throw new Revert('0x');
    return wordsOf(voidsTokensOfRemoved(run.gateway, run.word(0)));
  },
  'isSuperAdmin(address)': (run) => wordsOf(run.gateway.superAdmins.has(run.address(0))),
  'isTrustedForwarder(address)': (run) => wordsOf(run.gateway.forwarders.has(run.address(0))),
};

/** A gatekeeper changes a token. Of the events, only that of an expiry tells more than the token: the second word of the call. */
function changesToken(event: string, change: (run: Run, token: GatewayToken) => GatewayToken) {
  return (run: Run) => {
    const token = run.token();
    run.demand(GATEKEEPER, token.slot);
    run.change({ tokens: withEntry(run.gateway.tokens, token.id, change(run, token)) });
    return run.emit(event, [token.id], ...(event === 'Expiration' ? [run.word(1)] : []));
  };
}

/** A gatekeeper network that nobody has created has no authority, but in GatewayToken the first role as that of its authority. */
function administrator({ networks }: Gateway, slot: bigint): Hex {
  return networks.has(slot) ? AUTHORITY : NO_ROLE;
}

function setsGatekeeper(isAdded: boolean, roleOf: typeof administrator = administrator) {
  return (run: Run) => {
    const [account, slot] = [run.address(0), run.word(1)];
    run.demand(roleOf(run.gateway, slot), slot);
    return run.setRole(GATEKEEPER, slot, account, isAdded);
  };
}

/** A super admin adds or removes a forwarder, of which no event tells. */
function setsForwarder(isAdded: boolean) {
  return (run: Run) => {
    run.demandSuperAdmin();
    run.change({ forwarders: withMember(run.gateway.forwarders, run.address(0), isAdded) });
    return '';
  };
}

/** Returns the id that SlimGateway gives to the token of a wallet: the first 12 bytes of the hash of the slot, and the wallet. */
export const slimTokenId = (slot: bigint, owner: Hex): bigint =>
  ((BigInt(keccak256(`0x${wordsOf(slot)}`)) >> 160n) << 160n) | BigInt(owner);

/** The functions in which SlimGateway differs. */
const SLIM_CHANGES: Functions = {
  [`mint(address,uint256,uint256,uint256,${CHARGE})`](run) {
    const [owner, slot, expiration] = [run.address(0), run.word(1), run.word(2)];
    run.demand(GATEKEEPER, slot);
    if (owner === NOBODY) throw text('ERC3525: balance query for the zero address');
    const { tokens, owned } = run.gateway;
    const id = slimTokenId(slot, owner);
    if (tokens.has(id)) throw tokenExists(id);
    const token = { id, owner, slot, state: ACTIVE, expiration, issuer: run.sender } as const;
    const ids = [...(owned.get(owner) ?? []), id];
    run.change({ tokens: withEntry(tokens, id, token), owned: withEntry(owned, owner, ids) });
    run.emit('Transfer', [NOBODY, owner, id]);
    run.emit('SlotChanged', [id, 0n, slot]);
    return expiration === 0n ? '' : run.emit('Expiration', [id], expiration);
  },
  'burn(uint256)'(run) {
    const { id, owner, slot } = run.token();
    run.demand(GATEKEEPER, slot);
    const tokens = new Map(run.gateway.tokens);
    tokens.delete(id);
    const left = (run.gateway.owned.get(owner) ?? []).filter((each) => each !== id);
    run.change({ tokens, owned: withEntry(run.gateway.owned, owner, left) });
    run.emit('SlotChanged', [id, slot, 0n]);
    return run.emit('Transfer', [owner, NOBODY, id]);
  },
  'setNetworkFeatures(uint256,uint256)'(run) {
    const [slot, mask] = [run.word(0), run.word(1)];
    run.demand(AUTHORITY, slot);
    run.change({ networks: withEntry(run.gateway.networks, slot, mask) });
    return run.emit('NetworkFeaturesChanged', [slot], mask);
  },
  'addGatekeeper(address,uint256)': setsGatekeeper(true, () => AUTHORITY),
  'removeGatekeeper(address,uint256)': setsGatekeeper(false, () => AUTHORITY),
};
/** The functions that it lacks. */
const SLIM_LACKS = /^(add|remove|isTrusted)Forwarder|^upgradeTo|^isSuperAdmin/;

const BUILDS: Readonly<Record<Build, Functions>> = {
  gatewayToken: FUNCTIONS,
  slim: Object.fromEntries(
    Object.entries({ ...FUNCTIONS, ...SLIM_CHANGES }).filter(([signature]) => !SLIM_LACKS.test(signature)),
  ),
};
/** The answer of each build to a call of another function. */
const UNKNOWN: Readonly<Record<Build, (data: Hex) => Revert>> = {
  gatewayToken: () => new Revert('0x'),
  slim: (data) => notSupported(selectorIn(data)),
};

const bySelector = (functions: Functions) =>
  new Map(Object.entries(functions).map(([signature, run]) => [selectorOf(signature), run]));
const BY_SELECTOR = { gatewayToken: bySelector(BUILDS.gatewayToken), slim: bySelector(BUILDS.slim) };
const BY_NAME = new Map(
  Object.keys(FUNCTIONS).map((signature) => {
    const words = signature.match(/\b(address|uint|bool|string)/g)?.length ?? 0;
    return [signature.slice(0, signature.indexOf('(')), { selector: selectorOf(signature), words }];
  }),
);

/** Returns the data of a call. Arguments that are left out are 0: of a mint the expiry, the mask and the charge. */
export function callData(name: string, ...args: Words): Hex {
  const { selector, words } = BY_NAME.get(name) as { selector: Hex; words: number };
  return `${selector}${wordsOf(...args, ...Array<number>(Math.max(0, words - args.length)).fill(0))}` as Hex;
}

/** Returns the data of a call that creates a gatekeeper network with a name of one letter. */
export const createNetworkData = (slot: bigint): Hex =>
  callData('createNetwork', slot, 128, 0, 0, 1, `0x61${'0'.repeat(62)}`);

/** Runs a call of the contract. Throws Revert. */
export function execute(gateway: Gateway, sender: Hex, data: Hex) {
  const run = new Run(gateway, sender, data);
  const perform = BY_SELECTOR[gateway.build].get(selectorIn(data));
  if (perform === undefined) throw UNKNOWN[gateway.build](data);
  const output: Hex = `0x${perform(run)}`;
  return { output, gateway: run.gateway, logs: run.logs as readonly Log[] };
}

export interface ContractOptions {
  readonly address: Hex;
  /** By default, GatewayToken. */
  readonly build?: Build | undefined;
  readonly superAdmin?: Hex;
  /** The contract with the code of GatewayToken, which itself is a proxy. */
  readonly implementation?: Hex;
  /** Its gatekeeper networks at first. */
  readonly networks?: readonly { slot: bigint; authority: Hex; gatekeepers: readonly Hex[] }[];
}

const IMPLEMENTATION: Hex = `0x${'c0de'.repeat(10)}`;

export function createGateway({
  build = 'gatewayToken',
  superAdmin,
  implementation = IMPLEMENTATION,
  networks = [],
}: ContractOptions) {
  const isProxy = build === 'gatewayToken';
  let gateway: Gateway = {
    ...{ build, implementation: isProxy ? lower(implementation) : undefined },
    ...{ minted: 0n, tokens: new Map(), owned: new Map(), networks: new Map() },
    ...{ roles: new Set(), superAdmins: new Set(superAdmin && [lower(superAdmin)]), forwarders: new Set() },
  };
  for (const { slot, authority, gatekeepers } of networks) {
    const calls = [createNetworkData(slot), ...gatekeepers.map((each) => callData('addGatekeeper', each, slot))];
    for (const data of calls) gateway = execute(gateway, lower(authority), data).gateway;
  }
  return gateway;
}

/** Gas of calls by name, as GatewayToken takes it on the localnet, rounded up; SlimGateway takes less. Another function that writes takes `OTHER_GAS`. */
const GAS: Readonly<Record<string, number>> = {
  mint: 272_000,
  burn: 98_000,
  setExpiration: 75_000,
  freeze: 73_000,
  unfreeze: 43_000,
  revoke: 64_000,
};
const OTHER_GAS = 120_000;
const GAS_BY_SELECTOR = new Map([...BY_NAME].map(([name, { selector }]) => [selector, GAS[name] ?? OTHER_GAS]));

export const gasOf = (data: Hex): bigint => BigInt(GAS_BY_SELECTOR.get(selectorIn(data)) ?? OTHER_GAS);
