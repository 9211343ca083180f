import * as v from 'valibot';
import { withCharacter } from '../lib/characters.ts';
import { type Secret, secret } from '../lib/secret.ts';
import { type Network, type SolanaNetwork, WATCH_MAX_MS, WATCH_MIN_MS } from '../network/network.ts';
import { NETWORKS } from '../network/networks.ts';
import { derivesSmallSlot, NUMBERED_SLOTS, TEST_SLOT } from '../network/slot.ts';
import { BASE58_CHARACTER, checksumAddress, parseSolanaAddress, walletFault } from '../network/wallet.ts';
import { ConfigError, HttpUrl, Json, listOf, parseVariable } from './variable.ts';

const positive = v.pipe(
  v.number('must be a number'),
  v.safeInteger('must be a whole number below 2^53'),
  v.minValue(1, 'must be at least 1'),
);
const price = v.pipe(
  v.number('must be a number'),
  v.safeInteger('must be a whole number'),
  v.minValue(0, 'must not be negative'),
);
const COINS = 'must be a number of coins above 0, with at most 9 decimals';
const NANO_COINS_PER_COIN = 1e9;
/** Converts coins in the variable to nano-coins in the configuration. */
const coins = v.pipe(
  v.number(COINS),
  v.transform((amount) => Math.round(amount * NANO_COINS_PER_COIN)),
  v.safeInteger(COINS),
  v.minValue(1, COINS),
);
const WATCH_MS = `must be a whole number from ${WATCH_MIN_MS} to ${WATCH_MAX_MS}`;
const watcher = {
  watch: v.optional(v.boolean('must be true or false')),
  watchMs: v.optional(
    v.pipe(
      v.number(WATCH_MS),
      v.safeInteger(WATCH_MS),
      v.minValue(WATCH_MIN_MS, WATCH_MS),
      v.maxValue(WATCH_MAX_MS, WATCH_MS),
    ),
  ),
};
/** Whether the calendar has that day. `Date` would read the 30th of February as a day in March. */
const isDay = (day: string) => new Date(`${day}T00:00Z`).toJSON()?.startsWith(day) ?? false;
const ENDS_ON = 'must have an endsOn that is a day like "2026-12-31", from 2020 on, or null if the network continues';
/** A date in the past is valid: the network has ended. A running service must not refuse its configuration because a day has come. */
const endsOn = v.optional(
  v.pipe(
    v.nullable(
      v.pipe(
        v.string(ENDS_ON),
        v.check((day) => /^20[2-9]\d-\d\d-\d\d$/.test(day) && isDay(day), ENDS_ON),
      ),
    ),
    v.transform((day) => day ?? undefined),
  ),
);
const ceilings = { dailyCeiling: v.optional(coins), dailyLaneCeiling: v.optional(coins) };
const Final = v.union(
  [
    v.strictObject({ tag: v.picklist(['safe', 'finalized']) }),
    v.strictObject({ depth: v.pipe(v.number(), v.integer(), v.minValue(0)) }),
  ],
  'must be {"tag": "safe" | "finalized"} or {"depth": <blocks>}',
);
const Address = v.pipe(
  v.string('must be an address'),
  v.regex(/^0x(?!0{40})[0-9a-fA-F]{40}$/, ({ input }) => withCharacter('must be an address', input, /[0-9a-fA-Fx]/)),
  v.transform(checksumAddress),
);

const CodeHash = v.pipe(
  v.string('must be a code hash'),
  v.regex(/^0x[0-9a-fA-F]{64}$/, 'must be a code hash'),
  v.transform((hash) => hash.toLowerCase() as `0x${string}`),
);

const Unknown = 'must contain only settings that can be overridden';
const OfEthereum = v.strictObject(
  {
    endsOn,
    gateway: v.optional(Address),
    codeHash: v.optional(CodeHash),
    confirmations: v.optional(positive),
    final: v.optional(Final),
    maxFeePerGas: v.optional(positive),
    maxTipPerGas: v.optional(price),
    maxL1Fee: v.optional(price),
    maxGas: v.optional(positive),
    tipLimitFloor: v.optional(price),
    unmined: v.optional(positive),
    blockMs: v.optional(positive),
    ...ceilings,
    ...watcher,
  },
  Unknown,
);
const Base58 = v.pipe(
  v.string('must be base58 of 32 bytes'),
  v.check(
    (text) => parseSolanaAddress(text) !== undefined,
    ({ input }) => walletFault('solana', input),
  ),
);
/** The chain's maximum of compute units per transaction. */
const SOLANA_MAX_UNITS = 1_400_000;
const ofSolana = (row: SolanaNetwork) =>
  v.pipe(
    v.strictObject(
      {
        endsOn,
        program: v.optional(Base58),
        minUnitPrice: v.optional(price),
        maxUnitPrice: v.optional(price),
        maxUnits: v.optional(
          v.pipe(
            positive,
            v.maxValue(SOLANA_MAX_UNITS, `must be at most ${SOLANA_MAX_UNITS}, the maximum of the chain`),
          ),
        ),
        unmined: v.optional(positive),
        blockMs: v.optional(positive),
        ...ceilings,
        ...watcher,
      },
      Unknown,
    ),
    v.check(
      ({ minUnitPrice = row.minUnitPrice, maxUnitPrice = row.maxUnitPrice }) => minUnitPrice <= maxUnitPrice,
      'must not have a minUnitPrice above its maxUnitPrice',
    ),
  );

const Overrides = v.strictObject(
  Object.fromEntries(
    NETWORKS.map((row) => [row.network, v.optional(row.chain === 'ethereum' ? OfEthereum : ofSolana(row))]),
  ),
  'must contain only names of networks',
);

const Slots = v.pipe(
  v.record(
    v.pipe(
      v.string(),
      v.check(
        (name) => parseSolanaAddress(name) !== undefined,
        ({ input }) => withCharacter('must name gatekeeper networks by public key', input, BASE58_CHARACTER),
      ),
      v.check(
        (name) => !derivesSmallSlot(name),
        'must not name a key whose derived slot could be the number of another gatekeeper network',
      ),
    ),
    v.pipe(
      positive,
      v.transform((slot: number) => BigInt(slot)),
    ),
  ),
  // The key of a gatekeeper of slot 1 is public, so anybody could issue passes there.
  v.check(
    (slots) => !Object.values(slots).includes(TEST_SLOT),
    'must not give a gatekeeper network slot 1, which is for tests',
  ),
  // The existing tokens of its passes are in the slot with the built-in number.
  v.check(
    (slots) => Object.entries(slots).every(([key, slot]) => (NUMBERED_SLOTS[key] ?? slot) === slot),
    'must not give a gatekeeper network of the built-in table another number',
  ),
  // Two gatekeeper networks with one slot could issue two tokens to a wallet, neither aware of the other.
  v.check((slots) => {
    const all = Object.values({ ...NUMBERED_SLOTS, ...slots });
    return new Set(all).size === all.length;
  }, 'must give every gatekeeper network a slot of its own'),
);

/** Returns the network data with the operator's overrides from `NETWORKS` and `GATEKEEPER_NETWORK_SLOTS`. */
export function parseNetworks(env: Readonly<Record<string, unknown>>) {
  const overrides = parseVariable(env, 'NETWORKS', v.pipe(Json, Overrides));
  return {
    networks: NETWORKS.map((row) => ({ ...row, ...overrides[row.network] }) as Network),
    slots: parseVariable(env, 'GATEKEEPER_NETWORK_SLOTS', v.pipe(Json, Slots)),
  };
}

const Endpoints = v.strictObject(
  Object.fromEntries(NETWORKS.map(({ network }) => [network, v.optional(v.array(HttpUrl, 'must be a list of URLs'))])),
  'must contain only names of networks',
);

const MAINNETS = NETWORKS.filter(({ testnet }) => !testnet).map(({ network }) => network);

/**
 * Returns the endpoints of `RPC_ENDPOINTS`, for example `{"sepolia": ["https://…", "https://…"]}`, in order of preference.
 * Transactions on a mainnet cost money and cannot be undone. An endpoint alone may be a mistake, so `MAINNETS` must name the
 * network too.
 */
export function parseRpcEndpoints(env: Readonly<Record<string, unknown>>): Record<string, readonly Secret<string>[]> {
  const byNetwork = parseVariable(env, 'RPC_ENDPOINTS', v.pipe(Json, Endpoints));
  const isMainnet = (name: string) => MAINNETS.some((network) => network === name);
  const mainnets: readonly string[] = parseVariable(
    env,
    'MAINNETS',
    listOf(isMainnet, `must name only mainnets: ${MAINNETS.join(' ')}`),
  );
  const unnamed = MAINNETS.find((network) => byNetwork[network]?.length && !mainnets.includes(network));
  if (unnamed) throw new ConfigError('MAINNETS', `must name ${unnamed}, which has an RPC endpoint`);
  return Object.fromEntries(Object.entries(byNetwork).map(([network, urls]) => [network, (urls ?? []).map(secret)]));
}
