import type { Hex } from 'viem';
import { ADMITTED_GATEKEEPERS } from '../world/gatekeepers.ts';
import { contractsKnownTo, hasTables, keyOf, signersOf } from '../world/transactions.ts';
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
 * src/watcher-object/contract-watch.ts: a watcher that sees a log of other code checks its contracts, and tells its signers the code that two
 * endpoints show.
 */
export function faultsOfWatchedCode({ platform, chains, networks, deployment }: World): string[] {
  const watcher = platform.namespaces.WATCHERS.all.find(({ label }) => label === 'WATCHERS/sepolia');
  if (!networks.includes('sepolia') || watcher === undefined) return [];
  // The watcher tells nothing to a signer whose key has left the configuration.
  const signers = deployment.keysChanged ? [] : signersOf(platform, 'sepolia');
  const read = Object.entries(contractsKnownTo(watcher)).filter(([, { checkedAt }]) => checkedAt > 0);
  return read.flatMap(([contract, { implementation, shownHash }]) => {
    const isOld = implementation?.toLowerCase() !== chains.sepolia.gatewayAt(contract as Hex)?.implementation;
    const untold = signers.filter((signer) => {
      const known = contractsKnownTo(signer)[contract];
      return known !== undefined && known.shownHash !== shownHash;
    });
    return [
      ...(isOld ? [`the watcher believes that the contract ${contract} has the code of ${implementation}`] : []),
      ...untold.map(({ label }) => `${label} does not know the code ${shownHash} of the contract ${contract}`),
    ];
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
