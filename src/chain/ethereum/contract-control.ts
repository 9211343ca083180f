import type { Hex } from '../../lib/bytes.ts';
import type { Milliseconds } from '../../lib/units.ts';
import type { EthereumNetwork } from '../../network/network.ts';

/** A build of the gateway contract whose code anybody can compile or fetch. */
interface ContractBuild {
  /** As `hashCode` returns it. */
  readonly codeHash: Hex;
  /**
   * Whether the id of a token follows from its wallet and its gatekeeper network. Then no reorg gives it to the token of another wallet, and
   * a mint after a burn gives it back.
   */
  readonly derivesTokenIds: boolean;
}

/** The builds that the service knows. Nothing else in it tells them apart, and unknown code counts as GatewayToken. */
export const CONTRACT_BUILDS = {
  /** GatewayToken 0.8.0 behind an ERC-1967 proxy, as the npm packages contain both. */
  gatewayToken: {
    codeHash: '0x9750f8d5da15f36ee7940d9910c068bd1093ed4e03f3fe729fbcc4ac5aa9e37b',
    derivesTokenIds: false,
  },
  /** The artifact in `packages/contracts/`. */
  slimGateway: {
    codeHash: '0xf657d49883aa7dd5edddd960511280bed7e70d90e4ee6de7cecdae04a6f08cfb',
    derivesTokenIds: true,
  },
} as const satisfies Readonly<Record<string, ContractBuild>>;

/** Returns the build with that code; undefined: the service knows none. */
export const buildOf = (hash: Hex | null | undefined): ContractBuild | undefined =>
  Object.values(CONTRACT_BUILDS).find(({ codeHash }) => codeHash === hash);

export interface ContractControl {
  /** Null: no code exists at the address. */
  readonly codeHash: Hex | null;
  /** Null: the contract is no ERC-1967 proxy. */
  readonly implementation: Hex | null;
  /** The asked accounts that are super admins. They can replace the code and add forwarders. */
  readonly superAdmins: readonly Hex[];
  /** The asked accounts that are trusted forwarders. They act in the name of any account. */
  readonly forwarders: readonly Hex[];
}

/**
 * - `public-build`: the code of a row of `CONTRACT_BUILDS`
 * - `accepted`: the code that the operator has accepted in `NETWORKS`
 * - `none`: no code exists at the address
 */
export type CodeStanding = 'public-build' | 'accepted' | 'unknown' | 'none';

export function codeStanding(
  { codeHash: accepted }: Pick<EthereumNetwork, 'codeHash'>,
  hash: Hex | null,
): CodeStanding {
  if (hash === null) return 'none';
  if (buildOf(hash) !== undefined) return 'public-build';
  return hash === accepted ? 'accepted' : 'unknown';
}

/** A contract as the watcher of its network last saw it. Times are in milliseconds. */
export interface SeenContract extends ContractControl {
  /** Whether two endpoints showed it. */
  readonly confirmed: boolean;
  /** 0: never, because the endpoints have shown nothing certain. */
  readonly checkedAt: Milliseconds;
  /** Number of changes since the watcher first saw the contract. */
  readonly changes: number;
  readonly changedAt: Milliseconds | null;
  /** The code that two endpoints showed last; null: none exists; undefined: they showed nothing. */
  readonly shownHash?: Hex | null | undefined;
}

/** By contract. */
export type SeenContracts = Readonly<Record<string, SeenContract>>;
