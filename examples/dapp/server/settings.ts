/** A network whose passes the dApp accepts. */
export interface Network {
  readonly chain: 'ethereum' | 'solana';
  readonly name: string;
  /** URL of your node. It may contain a key, so the page does not get it. */
  readonly rpc: string;
}

export interface Settings {
  readonly port: number;
  readonly networks: readonly Network[];
  readonly gatekeeperNetwork: string;
  /** The contract and the slot of the gatekeeper network on Ethereum-type networks. */
  readonly contract: string;
  readonly slot: string;
  readonly gatepass: {
    readonly baseUrl: string;
    readonly credentials: {
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly audience?: string;
      readonly scope?: string;
    };
  };
  /** Lifetime of a pass, and how long before its end it is renewed. */
  readonly lifetimeSeconds: number;
  readonly renewalSeconds: number;
  /** Wallets that get no pass, in place of your own rules. */
  readonly deniedWallets: readonly string[];
  /** Whether the page offers wallets for tests. */
  readonly testWallets: boolean;
}

/** A variable is missing or wrong. */
export class SettingsError extends Error {}

const SOLANA = ['mainnet-beta', 'devnet'];
const DAY = 24 * 3600;
/** New gatekeeper networks are in this contract, which has the same address on each network. */
const OWNERLESS_CONTRACT = '0xA0d8b83d512cc74690DE0a57D156eddfB42752B4';

/** Reads the variables, which `README.md` lists. Throws SettingsError. */
export function settingsOf(env: Readonly<Record<string, string | undefined>>): Settings {
  const { GATEPASS_AUDIENCE: audience, GATEPASS_SCOPE: scope } = env;
  return {
    port: whole(env, 'PORT', 8090),
    networks: demand(env, 'NETWORKS')
      .split(',')
      .map((text) => networkOf(text.trim())),
    gatekeeperNetwork: demand(env, 'GATEKEEPER_NETWORK'),
    contract: env.GATEWAY_CONTRACT || OWNERLESS_CONTRACT,
    slot: slotOf(demand(env, 'GATEKEEPER_SLOT')),
    gatepass: {
      baseUrl: demand(env, 'GATEPASS_URL'),
      credentials: {
        tokenUrl: demand(env, 'GATEPASS_TOKEN_URL'),
        clientId: demand(env, 'GATEPASS_CLIENT_ID'),
        clientSecret: demand(env, 'GATEPASS_CLIENT_SECRET'),
        ...(audience && { audience }),
        ...(scope && { scope }),
      },
    },
    lifetimeSeconds: whole(env, 'PASS_LIFETIME_SECONDS', 90 * DAY),
    renewalSeconds: whole(env, 'RENEWAL_SECONDS', 14 * DAY),
    deniedWallets: (env.DENIED_WALLETS ?? '').split(',').filter(Boolean),
    testWallets: env.TEST_WALLETS === '1',
  };
}

function demand(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = env[name];
  if (!value) throw new SettingsError(`set ${name}`);
  return value;
}

function whole(env: Readonly<Record<string, string | undefined>>, name: string, otherwise: number): number {
  const text = env[name] || String(otherwise);
  if (!/^\d{1,9}$/.test(text)) throw new SettingsError(`${name} must be a whole number`);
  return Number(text);
}

function slotOf(text: string): string {
  if (!/^\d{1,78}$/.test(text)) throw new SettingsError('GATEKEEPER_SLOT must be the number of the slot');
  return text;
}

function networkOf(text: string): Network {
  const [, name = '', rpc = ''] = /^([\w-]+)=(https?:\/\/.+)$/.exec(text) ?? [];
  if (name === '') throw new SettingsError('NETWORKS must be NAME=URL, or several of them separated by commas');
  return { chain: SOLANA.includes(name) ? 'solana' : 'ethereum', name, rpc };
}
