import type { SimulatedObject } from '../platform/objects.ts';
import type { Platform } from '../platform/platform.ts';
import { CODE_HASH, SEPOLIA_BLOCK_MS, SEPOLIA_FINAL_DEPTH } from './chains.ts';
import { endpointUrls } from './endpoints.ts';
import { keyVariables } from './gatekeepers.ts';
import { TOKEN_VARIABLES } from './identities.ts';
import { KMS_VARIABLES } from './kms.ts';
import type { Limits } from './limits.ts';
import type { ChainNetwork } from './networks.ts';

/** How long an object may keep the variables of an earlier deployment. */
export const OLD_VARIABLES_MS = 300_000;

type Variables = Readonly<Record<string, unknown>>;

interface FirstDeployment {
  /** Number of gatekeeper keys on each chain. */
  readonly keys: number;
  /** Whether the first key of each chain is in a KMS. */
  readonly kms: boolean;
  /** The networks that have endpoints. */
  readonly networks: readonly ChainNetwork[];
  /** Number of endpoints of each network. */
  readonly endpoints: number;
  readonly limits: Limits;
}

/** The settings of a network in `NETWORKS`. */
export interface NetworkSettings {
  readonly confirmations?: number;
  readonly final?: { readonly depth: number };
  readonly blockMs?: number;
  /** The code of the contracts that the operator accepts. */
  readonly codeHash?: string;
  /** Coins; undefined: the default of the network. */
  readonly dailyCeiling?: number | undefined;
  readonly dailyLaneCeiling?: number | undefined;
}

type Settings = Readonly<Partial<Record<ChainNetwork, NetworkSettings>>>;

const FIRST_SETTINGS: Settings = {
  sepolia: {
    confirmations: 1,
    final: { depth: SEPOLIA_FINAL_DEPTH },
    blockMs: SEPOLIA_BLOCK_MS,
    codeHash: CODE_HASH,
  },
};

/** Returns the variables of a world's first deployment. */
export function firstVariables({ keys, kms, networks, endpoints, limits }: FirstDeployment): Variables {
  const urls = networks.map((network) => [network, endpointUrls(network, endpoints)]);
  return {
    ...TOKEN_VARIABLES,
    ...(kms && KMS_VARIABLES),
    DEPLOYMENT: 'local',
    NETWORKS: JSON.stringify(FIRST_SETTINGS),
    ...(limits.passChanges !== undefined && { PASS_DAILY_CHANGES: String(limits.passChanges) }),
    ...keyVariables(keys, kms),
    RPC_ENDPOINTS: JSON.stringify(Object.fromEntries(urls)),
  };
}

/** The list of leaked keys that the operator deployed. */
export interface Emergency {
  /** Unix milliseconds. */
  readonly at: number;
  /** `EMERGENCY_NUMBER`. */
  readonly number: number;
  readonly addresses: readonly string[];
}

/** Returns the settings of a network with which an object has started. */
export const settingsOf = ({ bindings }: SimulatedObject, network: ChainNetwork): NetworkSettings =>
  (JSON.parse(String(bindings?.NETWORKS ?? '{}')) as Settings)[network] ?? {};

/** The variables of the Worker, and their changes. */
export class Deployment {
  /** Whether the first key of each chain is in a KMS. */
  readonly hasKms: boolean;
  /** Whether a deployment has changed the keys. */
  keysChanged = false;
  /** Whether a deployment has changed the settings of a network. */
  settingsChanged = false;
  /** The lists of leaked keys, the newest last. */
  readonly emergencies: Emergency[] = [];
  readonly #platform: Platform;
  #settings = FIRST_SETTINGS;
  #variables: Variables;

  constructor(platform: Platform, variables: Variables, hasKms: boolean) {
    this.#platform = platform;
    this.#variables = variables;
    this.hasKms = hasKms;
  }

  /** Deploys another number of keys. */
  deployKeys(count: number): void {
    this.keysChanged = true;
    this.#deploy(keyVariables(count, this.hasKms));
  }

  /** Deploys other settings of a network. */
  deploySettings(network: ChainNetwork, changes: NetworkSettings): void {
    this.settingsChanged = true;
    this.#settings = { ...this.#settings, [network]: { ...this.#settings[network], ...changes } };
    this.#deploy({ NETWORKS: JSON.stringify(this.#settings) });
  }

  /** Names the leaked keys, as `npm run emergency` does. */
  deployEmergency(addresses: readonly string[]): void {
    const at = this.#platform.scheduler.now;
    const number = Math.max(at, (this.emergencies.at(-1)?.number ?? 0) + 1);
    this.emergencies.push({ at, number, addresses });
    this.#deploy({ COMPROMISED_GATEKEEPERS: addresses.join(' '), EMERGENCY_NUMBER: String(number) });
  }

  /** Closes or opens the databases with these names, as `npm run restore` does. */
  deployClosed(names: string): void {
    this.#deploy({ CLOSED_SHARDS: names });
  }

  /** Deploys other variables: requests get them at once, and objects within five minutes, when the platform starts them again. */
  #deploy(changes: Variables): void {
    this.#variables = { ...this.#variables, ...changes };
    this.#platform.deploy(this.#variables);
  }
}
