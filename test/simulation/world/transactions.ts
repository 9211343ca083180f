import { base58 } from '@scure/base';
import type { Hex } from 'viem';
import type { SeenContract } from '../../../src/chain/ethereum/contract-control.ts';
import { readTransaction } from '../ethereum/transaction.ts';
import type { SimulatedObject } from '../platform/objects.ts';
import type { Platform } from '../platform/platform.ts';
import { type NetworkSettings, settingsOf } from './deployment.ts';
import { CHAIN_OF, type ChainNetwork } from './networks.ts';

/** A transaction of a signer when a node got it first. */
export interface SentTransaction {
  readonly network: ChainNetwork;
  /** Its hash or signature. */
  readonly id: string;
  /** The name of the signer's object. */
  readonly signer: string;
  /** Undefined: it only fills a nonce. */
  readonly step?: { readonly id: string; readonly kind: string; readonly lane: string; readonly contract: string };
  /** Unix milliseconds. */
  readonly signedAt: number;
  /** The settings of the network that its signer had; undefined: nobody knows, because the object has ended since. */
  readonly settings?: NetworkSettings | undefined;
  /** The hash of unknown code that its signer had stored for its contract before it signed. */
  readonly suspectHash?: string | undefined;
}

interface StoredTransaction {
  readonly identifier: string;
  readonly signedAtMs: number;
}

type StepRow = Readonly<Record<'id' | 'kind' | 'lane' | 'contract' | 'signed', string>>;

const SENDS: Readonly<Record<string, (bytes: string) => string>> = {
  eth_sendRawTransaction: (bytes) => readTransaction(bytes as Hex).hash,
  sendTransaction: (bytes) => base58.encode(Buffer.from(bytes, 'base64').subarray(1, 65)),
};

/** Returns the objects of the signers of a network. */
export const signersOf = ({ namespaces: { SIGNERS } }: Platform, network: ChainNetwork): SimulatedObject[] =>
  SIGNERS.all.filter(({ label }) => label.startsWith(`SIGNERS/${CHAIN_OF[network]}/${network}/`));

/** Returns the address of the key of a signer, from the name of its object. */
export const keyOf = (signer: string): string => signer.slice(signer.lastIndexOf('/') + 1);

/** Whether the signer has made its tables. */
export const hasTables = ({ storage }: SimulatedObject): boolean => storage.kv.get('schema') !== undefined;

/** The transactions that nodes got from the Worker, as their signers had stored them by then. */
export class Transactions {
  readonly sent: SentTransaction[] = [];
  /** Transactions that no signer had stored before a node got them. */
  readonly unknown: string[] = [];
  readonly #platform: Platform;
  readonly #known = new Set<string>();
  /** The rows of stores that were lost. */
  readonly #lost: { readonly signer: string; readonly row: StepRow }[] = [];

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Notes the transactions in a request to a node. */
  note(network: ChainNetwork, asked: string): void {
    if (!asked.includes('"eth_sendRawTransaction"') && !asked.includes('"sendTransaction"')) return;
    for (const { method, params } of [JSON.parse(asked)].flat()) {
      const bytes = params?.[0];
      const id = SENDS[method]?.(bytes);
      if (id === undefined || this.#known.has(id)) continue;
      this.#known.add(id);
      const sent = this.#find(network, id) ?? this.#fillerOf(network, id, bytes);
      if (sent === undefined) this.unknown.push(id);
      else this.sent.push(sent);
    }
  }

  /** Remembers what a signer has stored, because its store will be lost. */
  noteLoss(signer: SimulatedObject): void {
    if (hasTables(signer)) for (const row of rowsWith(signer, '')) this.#lost.push({ signer: signer.label, row });
  }

  #find(network: ChainNetwork, id: string): SentTransaction | undefined {
    for (const signer of signersOf(this.#platform, network)) {
      const [row] = hasTables(signer) ? rowsWith(signer, id) : [];
      if (row === undefined) continue;
      return this.#described(network, id, signer.label, row, signer);
    }
    const lost = this.#lost.find(({ row }) => row.signed.includes(id));
    return lost && this.#described(network, id, lost.signer, lost.row, undefined);
  }

  #described(
    network: ChainNetwork,
    id: string,
    signer: string,
    { signed, ...step }: StepRow,
    object: SimulatedObject | undefined,
  ): SentTransaction {
    const stored = (JSON.parse(signed) as StoredTransaction[]).find(({ identifier }) => identifier === id);
    const signedAt = stored?.signedAtMs ?? 0;
    const seen = network === 'sepolia' ? suspectIn(object, step.contract, signedAt) : undefined;
    const settings = object !== undefined && object.startedAt <= signedAt ? settingsOf(object, network) : undefined;
    return { network, id, signer, step, signedAt, settings, suspectHash: seen };
  }

  /** A filler has a row with its cost, and nothing else. */
  #fillerOf(network: ChainNetwork, id: string, bytes: Hex): SentTransaction | undefined {
    if (network === 'devnet') return undefined;
    const { from, to, data, nonce } = readTransaction(bytes);
    const signer = signersOf(this.#platform, network).find(({ label }) => keyOf(label).toLowerCase() === from);
    if (signer === undefined || from !== to || data !== '0x') return undefined;
    const { now } = this.#platform.scheduler;
    const isCounted = signer.storage.sql.exec('SELECT 1 FROM gap_filler WHERE nonce = ?', nonce).toArray().length > 0;
    // The rows of a day go when the next one begins.
    if (!isCounted && now % DAY_MS > LATE_MS) return undefined;
    return { network, id, signer: signer.label, signedAt: now };
  }
}

const DAY_MS = 86_400_000;
const LATE_MS = 10_000;

const rowsWith = ({ storage: { sql } }: SimulatedObject, id: string): StepRow[] =>
  sql
    .exec(
      'SELECT id, kind, gatekeeper_network AS lane, contract, signed FROM step WHERE signed IS NOT NULL AND instr(signed, ?) > 0',
      id,
    )
    .toArray() as unknown as StepRow[];

/** Returns the contracts as a signer, or the watcher of its network, has stored them. */
export function contractsKnownTo({ storage: { kv } }: SimulatedObject): KnownContracts {
  const stored = (kv.get('contracts') ?? {}) as KnownContracts | { readonly seen: KnownContracts };
  return 'seen' in stored ? (stored.seen as KnownContracts) : stored;
}

type KnownContracts = Readonly<Record<string, SeenContract & { readonly heldSince?: number }>>;

/** Returns the hash of unknown code that the signer had stored for a contract before that time. */
function suspectIn(signer: SimulatedObject | undefined, contract: string, before: number): string | undefined {
  const { shownHash = null, heldSince = Number.POSITIVE_INFINITY } =
    (signer && contractsKnownTo(signer)[contract]) ?? {};
  return shownHash !== null && heldSince < before ? shownHash : undefined;
}
