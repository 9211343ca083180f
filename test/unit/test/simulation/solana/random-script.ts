import { type Address, address, getAddressDecoder } from '@solana/kit';
import fc from 'fast-check';
import type { InFlightTransaction, Signed } from '../../../../../src/chain/port.ts';
import { solana } from '../../../../../src/chain/solana/adapter.ts';
import { watchSolana } from '../../../../../src/chain/solana/watch.ts';
import type { Span } from '../../../../../src/chain/watch-port.ts';
import type { EnabledSolana } from '../../../../../src/config/signers.ts';
import { decodeBase58 } from '../../../../../src/lib/bytes.ts';
import { secret } from '../../../../../src/lib/secret.ts';
import type { SolanaNetwork } from '../../../../../src/network/network.ts';
import { NETWORKS } from '../../../../../src/network/networks.ts';
import type { PassKey } from '../../../../../src/pass/pass.ts';
import type { Step } from '../../../../../src/pass/step.ts';
import { rankOf, type StepKind } from '../../../../../src/pass/step-kinds.ts';
import { GATEKEEPER_NETWORKS } from '../../../../../tools/localnet/oauth/partners.ts';
import { SOLANA_GATEKEEPER_KEYS, SOLANA_GATEKEEPERS } from '../../../../../tools/localnet/solana/gatekeepers.ts';
import { GATEWAY_PROGRAM } from '../../../../../tools/localnet/solana/runtime/gateway-addresses.ts';
import type { Version } from '../../../../simulation/solana/others.ts';
import type { Twins } from './twin-clusters.ts';

/** Random scripts: the service's adapter, others, forks and raw calls at twin clusters. */

const addressOf = (byte: number) => getAddressDecoder().decode(new Uint8Array(32).fill(byte));
export const WALLETS = [addressOf(41), addressOf(42), addressOf(43)] as const;
export const [NETWORK, OTHER_NETWORK] = GATEKEEPER_NETWORKS.map((each) => address(each as string)) as [
  Address,
  Address,
];
export const [OWN, COLLEAGUE] = SOLANA_GATEKEEPERS.map((each) => address(each)) as [Address, Address];
const STRANGER = addressOf(51);
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';

export const ENABLED: EnabledSolana = {
  chain: 'solana',
  network: NETWORKS.find(({ network }) => network === 'devnet') as SolanaNetwork,
  endpoints: [secret('https://devnet.example')],
  gatekeeper: { address: OWN, key: secret(decodeBase58(SOLANA_GATEKEEPER_KEYS[0]) as Uint8Array) },
};

/** A running script. */
export class Script {
  readonly twins: Twins;
  readonly #port = solana(ENABLED);
  readonly #watch = watchSolana(ENABLED.network, ENABLED.endpoints);
  readonly #inFlight: InFlightTransaction[] = [];
  readonly #signed: Signed[] = [];
  readonly #signatures: string[] = [];
  #watched: Span['after'];
  #turns = 0;

  /** The port of the service sends to the twins if `fetch` does. */
  constructor(twins: Twins) {
    this.twins = twins;
  }

  async request(kind: StepKind, wallet: Address, expiry: number): Promise<void> {
    const step = stepOf(kind, wallet, this.twins.time + expiry);
    const { results } = await this.#port.prepare([{ step }], this.#inFlight.length);
    for (const [, result] of results) {
      if (result.type !== 'ready') continue;
      const signed = await result.sign(undefined);
      await this.#port.broadcast([{ signed }]);
      this.#signed.push(signed);
      const { identifier, lastValidBlockHeight } = signed;
      this.#inFlight.push({ step, identifiers: [identifier], lastValidBlockHeight, signedAtMs: Date.now() });
      this.#signatures.push(identifier);
    }
  }

  /** Sends every transaction again, as the signer does. */
  async sendAgain(): Promise<void> {
    await this.#port.broadcast(this.#signed.map((signed) => ({ signed })));
  }

  /** Sends the newest transaction with another signature. */
  async forge(skipPreflight: boolean): Promise<void> {
    const wire = Buffer.from(this.#signed.at(-1)?.bytes ?? '', 'base64');
    if (wire.length === 0) return;
    // The first byte is the number of signatures.
    wire.writeUInt8(wire.readUInt8(1) ^ 1, 1);
    const options = { encoding: 'base64', skipPreflight };
    this.#signatures.push(
      (await this.twins.ask('sendTransaction', wire.toString('base64'), options)) ?? 'A'.repeat(64),
    );
  }

  async track(): Promise<void> {
    for (const [each, status] of await this.#port.track([...this.#inFlight])) {
      const index = this.#inFlight.indexOf(each);
      if (status.type === 'confirmed') this.#inFlight[index] = { ...each, includedIn: status.includedIn };
      else if (['final', 'expired', 'without-effect'].includes(status.type)) this.#inFlight.splice(index, 1);
    }
  }

  async observe(): Promise<void> {
    const questions = WALLETS.map((wallet) => ({ key: stepOf('issue', wallet, 0).key, contract: GATEWAY_PROGRAM }));
    await this.#port.read(questions);
    await this.#port.observe(questions);
    await this.#port.account();
  }

  async watch(): Promise<void> {
    this.#turns += 1;
    const scan = await this.#watch.scan({ after: this.#watched }, [GATEWAY_PROGRAM], this.#turns);
    if (scan.type !== 'scanned') return;
    const unresolved = scan.changes.filter((each) => each.type === 'transaction');
    if (unresolved.length > 0) await this.#watch.resolve(unresolved, this.#turns);
    this.#watched = scan.newest;
  }

  /** Reads every transaction in every way. */
  async look(): Promise<void> {
    for (const signature of this.#signatures)
      for (const maxSupportedTransactionVersion of [1, 0, undefined])
        await this.twins.ask('getTransaction', signature, { commitment: 'confirmed', maxSupportedTransactionVersion });
    const { value } = await this.twins.ask<{ value: readonly ({ err: unknown } | null)[] }>(
      'getSignatureStatuses',
      this.#signatures.slice(-256),
      { searchTransactionHistory: true },
    );
    for (const status of value) this.twins.count(status ? `a status: ${JSON.stringify(status.err)}` : 'no status');
  }

  byOthers(call: OthersDeed): void {
    const { by, version, ...rest } = call;
    const sender = { own: OWN, colleague: COLLEAGUE, stranger: STRANGER, owner: rest.wallet, authority: rest.network }[
      by
    ];
    const { kind, wallet, network, index, expiry } = rest;
    const calls =
      kind === 'unknown'
        ? [{ programAddress: GATEWAY_PROGRAM, accounts: [], data: Uint8Array.of(9 + index) }]
        : kind === 'add-gatekeeper' || kind === 'remove-gatekeeper'
          ? [{ kind, network, gatekeeper: expiry % 2 === 0 ? STRANGER : OWN }]
          : [{ kind, wallet, network, index, ...(expiry > 0 && { expiry: this.twins.time + expiry }) } as const];
    this.#signatures.push(this.twins.byOthers(sender, calls, version));
  }

  async callRaw(method: keyof typeof RAW, pick: number, commitment: unknown): Promise<void> {
    const signatures = this.#signatures;
    const signature = signatures[pick % Math.max(1, signatures.length)] ?? 'A'.repeat(64);
    await this.twins.ask(method, ...RAW[method]({ pick, commitment, signature, signatures }));
  }
}

export interface Drawn {
  readonly pick: number;
  readonly commitment: unknown;
  readonly signature: string;
  readonly signatures: readonly string[];
}

const ENCODINGS = ['base64', 'base58', 'binary', undefined, 'wrong'];

/** The calls of the service, and wrong ones, with many parameters. */
export const RAW = {
  getAccountInfo: ({ pick, commitment }) => [
    [CLOCK, OWN, GATEWAY_PROGRAM, WALLETS[0], 'wrong'][pick % 5],
    { commitment, encoding: ENCODINGS[pick % 4] },
  ],
  getMultipleAccounts: ({ pick, commitment }) => [
    pick === 99 ? Array.from({ length: 101 }, () => CLOCK) : [CLOCK, OWN, ...WALLETS.slice(pick % 4)],
    { commitment, encoding: ENCODINGS[pick % 5] },
  ],
  getMinimumBalanceForRentExemption: ({ pick }) => [pick],
  getRecentPrioritizationFees: ({ pick }) => [pick % 2 === 0 ? [OWN] : []],
  getLatestBlockhash: ({ commitment }) => [{ commitment }],
  isBlockhashValid: ({ commitment }) => [STRANGER, { commitment }],
  getEpochInfo: ({ commitment }) => [{ commitment }],
  getSlot: ({ commitment, pick }) => [{ commitment, ...(pick % 2 === 0 && { minContextSlot: 1_000_000 + 10 * pick }) }],
  getGenesisHash: () => [],
  getFirstAvailableBlock: () => [],
  getSignatureStatuses: ({ pick, signature, signatures }) => [
    pick % 3 === 0 ? signatures.slice(0, 256) : [signature, 'A'.repeat(64)],
    { searchTransactionHistory: pick % 2 === 0 },
  ],
  getSignaturesForAddress: ({ pick, commitment, signature, signatures }) => [
    [GATEWAY_PROGRAM, OWN, NETWORK][pick % 3],
    {
      commitment,
      limit: [undefined, 1, 3, 1_000, 1_001][pick % 5],
      ...(pick % 4 === 1 && { before: signature }),
      ...(pick % 3 === 1 && { until: signatures[pick % 7] }),
    },
  ],
  getTransaction: ({ pick, commitment, signature }) => [
    signature,
    {
      commitment,
      encoding: pick % 2 === 0 ? 'json' : 'base64',
      maxSupportedTransactionVersion: [1, 0, undefined][pick % 3],
    },
  ],
  sendTransaction: ({ pick }) => [['wrong', 'AAAA', 42][pick % 3], { encoding: 'base64' }],
  simulateTransaction: ({ pick }) => [['wrong', 'AAAA'][pick % 2], { encoding: 'base64', sigVerify: true }],
  getBlocks: () => [1, 2],
} as const satisfies Readonly<Record<string, (drawn: Drawn) => readonly unknown[]>>;

interface OthersDeed {
  readonly by: 'own' | 'colleague' | 'stranger' | 'owner' | 'authority';
  readonly kind:
    | ('issue' | 'freeze' | 'unfreeze' | 'revoke' | 'set-expiry' | 'burn' | 'expire')
    | ('add-gatekeeper' | 'remove-gatekeeper' | 'unknown');
  readonly wallet: Address;
  readonly network: Address;
  readonly index: number;
  readonly expiry: number;
  readonly version: Version;
}

let steps = 0;

export function stepOf(kind: StepKind, wallet: Address, expiry: number): Step {
  const key = { chain: 'solana', network: 'devnet', wallet, gatekeeperNetwork: NETWORK } as unknown as PassKey;
  steps += 1;
  const id = `0198a000-0000-7000-8000-000000000000:${steps}`;
  const expires = kind === 'issue' || kind === 'set-expiry' ? { expiry: Math.floor(expiry) } : {};
  return { id, kind, key, rank: rankOf(kind), contract: GATEWAY_PROGRAM, ...expires };
}

type Deed = (script: Script) => void | Promise<void>;

const wallet = fc.constantFrom(...WALLETS);
const expiry = fc.constantFrom(0, 1, 3_600, 86_400);
const othersDeed: fc.Arbitrary<OthersDeed> = fc.record({
  by: fc.constantFrom('own', 'own', 'colleague', 'stranger', 'owner', 'authority'),
  kind: fc.constantFrom(
    ...(['issue', 'issue', 'freeze', 'unfreeze', 'revoke', 'set-expiry', 'burn', 'expire'] as const),
    ...(['add-gatekeeper', 'remove-gatekeeper', 'unknown'] as const),
  ),
  wallet,
  network: fc.constantFrom(NETWORK, NETWORK, OTHER_NETWORK),
  index: fc.constantFrom(0, 0, 0, 1, 7),
  expiry,
  version: fc.constantFrom<Version>('legacy', 0, 1),
});

const deed: fc.Arbitrary<readonly [words: string, run: Deed]> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom<StepKind>('issue', 'issue', 'freeze', 'unfreeze', 'set-expiry', 'revoke'), wallet, expiry)
      .map(
        ([kind, of, seconds]) => [`request ${kind}`, (script: Script) => script.request(kind, of, seconds)] as const,
      ),
  },
  {
    weight: 8,
    arbitrary: othersDeed.map(
      (each) => [`${each.by} ${each.kind}`, (script: Script) => script.byOthers(each)] as const,
    ),
  },
  {
    weight: 8,
    arbitrary: fc
      .constantFrom(1, 1, 1, 2, 5, 40)
      .map((blocks) => [`mine ${blocks}`, ({ twins }: Script) => twins.mine(blocks)] as const),
  },
  {
    // The blockhash of a transaction is that of the confirmed block, and counts for 150 blocks after it.
    weight: 2,
    arbitrary: fc.tuple(wallet, fc.constantFrom(148, 149, 150)).map(
      ([of, full]) =>
        [
          `request issue, and ${full} full blocks`,
          async (script: Script) => {
            await script.request('issue', of, 3_600);
            script.twins.mine(full, 0);
            script.twins.mine();
          },
        ] as const,
    ),
  },
  { weight: 2, arbitrary: fc.constant(['send again', (script: Script) => script.sendAgain()] as const) },
  {
    weight: 1,
    arbitrary: fc.boolean().map((skip) => ['forge', (script: Script) => script.forge(skip)] as const),
  },
  { weight: 1, arbitrary: fc.constant(['pause', ({ twins }: Script) => twins.mine(155)] as const) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(6), fc.boolean())
      .map(([blocks, drops]) => [`fork ${blocks}`, ({ twins }: Script) => twins.reorganize(blocks, drops)] as const),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(6_960n, 2_575n)
      .map((rent) => ['rent', ({ twins }: Script) => twins.setRent(rent)] as const),
  },
  { weight: 3, arbitrary: fc.constant(['track', (script: Script) => script.track()] as const) },
  { weight: 2, arbitrary: fc.constant(['observe', (script: Script) => script.observe()] as const) },
  { weight: 2, arbitrary: fc.constant(['watch', (script: Script) => script.watch()] as const) },
  {
    weight: 10,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...(Object.keys(RAW) as (keyof typeof RAW)[])),
        fc.nat(99),
        fc.constantFrom('processed', 'confirmed', 'finalized', undefined, 'wrong'),
      )
      .map(
        ([method, pick, commitment]) => [method, (script: Script) => script.callRaw(method, pick, commitment)] as const,
      ),
  },
);

export const scripts = fc.array(deed, { minLength: 20, maxLength: 60 });
