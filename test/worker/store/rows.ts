import type { Chain } from '../../../src/network/network.ts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import type { FeedType, PassState } from '../../../src/pass/vocabulary.ts';
import type { Publication } from '../../../src/store/passes.ts';

/** A UUIDv7; a larger number makes a later one. */
export function idOf(number: number): string {
  return `01900000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

/** Returns an address of digits only, which is its own EIP-55 form. */
export function walletOf(number: number): string {
  return `0x9${String(number).padStart(39, '0')}`;
}

interface Overrides {
  readonly gatekeeperNetwork?: string;
  readonly chain?: Chain;
  readonly network?: string;
  readonly wallet?: string;
  readonly state?: PassState;
  readonly version?: number;
}

/** Returns the pass with that number for the read model. */
export function aProjection(number: number, overrides: Overrides = {}): Publication {
  const { gatekeeperNetwork = 'ours', chain = 'ethereum', network = 'sepolia' } = overrides;
  const { wallet = walletOf(number), state = 'ACTIVE', version = 1 } = overrides;
  const record = {
    id: idOf(number),
    chain: { type: chain, network },
    gatekeeperNetwork,
    walletAddress: wallet,
    events: [{ eventType: 'TOKEN_ISSUED_INITIATED', timestamp: 1_790_000_000 + version }],
    onChainState: state === 'REQUESTED' || state === 'REJECTED' ? ('NONE' as const) : state,
    state,
    contract: OWNERLESS_CONTRACT,
  };
  const key = { gatekeeperNetwork, chain, network, wallet } as PassKey;
  const validity = { onChainState: record.onChainState, until: null, isPending: false, issuedBy: null };
  return { key, id: record.id, state, version, record: JSON.stringify(record), validity, events: [], eventsInFeed: 0 };
}

/** Returns the pass with that number, which hands over its first feed events, of these types. */
export function aFedProjection(number: number, types: readonly FeedType[], overrides: Overrides = {}): Publication {
  const publication = aProjection(number, overrides);
  const { events: [event] = [], ...pass } = JSON.parse(publication.record) as { events?: unknown[] };
  const events = types.map((type, index) => {
    const n = index + 1;
    const id = `${publication.id}.${n}`;
    const body = JSON.stringify({ id, timestamp: '2026-11-20T11:03:45.000Z', data: { event, pass } });
    return { n, type, body };
  });
  return { ...publication, events, eventsInFeed: events.length };
}
