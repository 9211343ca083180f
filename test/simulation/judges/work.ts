import type { Hex } from 'viem';
import type { ContractControl } from '../../../src/chain/ethereum/contract-control.ts';
import { ADMITTED_GATEKEEPERS } from '../world/gatekeepers.ts';
import { hasTables, keyOf, signersOf } from '../world/transactions.ts';
import type { World } from '../world/world.ts';

/** No work is left, and the Worker does little without work. */

/** The nonces of a key have no gap, and nothing of it waits, in its pool or in its signer. */
export function faultsOfSigners({ platform, chains: { sepolia }, networks }: World): string[] {
  const waiting = ADMITTED_GATEKEEPERS.ethereum.flatMap((address) => {
    const own = sepolia.waiting.filter(({ from }) => from === address.toLowerCase());
    return own.length > 0 ? [`${own.length} transactions of ${address} wait forever`] : [];
  });
  const signers = networks.flatMap((network) => signersOf(platform, network)).filter(hasTables);
  const open = signers.flatMap(({ label, storage: { sql } }) => {
    const [row] = sql.exec("SELECT count(*) AS n FROM step WHERE status IN ('waiting', 'signed')").toArray();
    return Number(row?.n) > 0 ? [`${row?.n} steps of ${label} wait forever`] : [];
  });
  const gaps = signers.flatMap(({ label, storage: { kv } }) => {
    const next = kv.get('nextNonce');
    const used = sepolia.nonceOf(keyOf(label) as Hex);
    return typeof next === 'number' && next > used ? [`the nonces of ${label} have a gap from ${used} to ${next}`] : [];
  });
  return [...waiting, ...open, ...gaps];
}

/**
 * src/watcher-object/contract-changes.ts: a watcher that sees a log of other code has the signers check their contracts. Each of them knows the code of
 * the contracts that it watches.
 */
export function faultsOfWatchedCode({ platform, chains, networks, deployment }: World): string[] {
  // A signer whose key has left the configuration checks nothing.
  if (!networks.includes('sepolia') || deployment.keysChanged) return [];
  return signersOf(platform, 'sepolia').flatMap(({ label, storage: { kv } }) => {
    const seen = (kv.get('contracts') ?? {}) as Readonly<Record<Hex, { readonly control: ContractControl }>>;
    return Object.entries(seen).flatMap(([contract, { control }]) => {
      const { implementation } = chains.sepolia.gatewayAt(contract as Hex) ?? {};
      return control.implementation?.toLowerCase() === implementation
        ? []
        : [`${label} believes that the contract ${contract} has the code of ${control.implementation}`];
    });
  });
}

/**
 * A change by others holds the coverage back until it is final and read: a block, two for finality, and two readings of the watcher take
 * 84 s on sepolia. A change by a stranger does not.
 */
const LAG_MAX_SECONDS = 90;
/** Without work only the watchers wake: every two blocks, at least every 5 s. */
const WATCHER_WAKES_MAX_PER_MINUTE = 13;
const WAKES_MAX_PER_MINUTE = 1;
const REQUESTS_MAX_PER_MINUTE = 60;

export function faultsOfIdleTime({ idleTime }: World): string[] {
  const { lagSeconds = 0, wakes = [], requests = 0 } = idleTime ?? {};
  const maxOf = (label: string) => (label.startsWith('WATCHERS') ? WATCHER_WAKES_MAX_PER_MINUTE : WAKES_MAX_PER_MINUTE);
  return [
    ...(lagSeconds > LAG_MAX_SECONDS ? [`the coverage is up to ${lagSeconds} s old while nothing fails`] : []),
    ...(requests > REQUESTS_MAX_PER_MINUTE ? [`nodes get ${requests} requests a minute, and nothing happens`] : []),
    ...[...wakes].flatMap(([label, perMinute]) =>
      perMinute > maxOf(label) ? [`${label} wakes ${perMinute} times a minute, and has no work`] : [],
    ),
  ];
}
