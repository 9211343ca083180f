import type { SignerName } from '../../../src/network/network.ts';
import type { Pass, PassKey, PinnedStep } from '../../../src/pass/pass.ts';
import type { IssueRequest, UpdateRequest, WantedChange } from '../../../src/pass/requests.ts';
import type { StoredPass } from '../../../src/pass-object/stored-pass.ts';

/** The time at which the tests process their passes, in Unix seconds. */
export const NOW = 1_800_000_000;
export const PASS_ID = '019f0000-0000-7000-8000-000000000001';
/** The id of the step that `aPass({ step: … })` pins. */
export const STEP_ID = `${PASS_ID}:1`;
export const TRANSACTION = `0x${'ab'.repeat(32)}`;

/** Fields of a key. The wallet and the gatekeeper network are plain strings, which only `aPassKey` turns into a key. */
export type KeyOverrides = Partial<Omit<PassKey, 'gatekeeperNetwork' | 'wallet'>> & {
  readonly gatekeeperNetwork?: string;
  readonly wallet?: string;
};

export type Overrides = Partial<Omit<Pass, 'key' | 'wanted' | 'onChain' | 'step'>> & {
  readonly key?: KeyOverrides;
  readonly wanted?: Partial<Pass['wanted']>;
  readonly onChain?: Partial<Pass['onChain']>;
  readonly step?: Partial<PinnedStep> | undefined;
};

/** The contract of the pass. */
export const CONTRACT = '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb';

/** Returns the key of a pass on Sepolia. */
export function aPassKey(overrides: KeyOverrides = {}): PassKey {
  return {
    gatekeeperNetwork: 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf',
    chain: 'ethereum',
    network: 'sepolia',
    wallet: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    ...overrides,
  } as PassKey;
}

/** Returns a partner's request for the pass. `id` and `signer` apply to a pass that does not exist yet. */
export function anIssueRequest(overrides: Partial<IssueRequest> = {}): IssueRequest {
  return {
    key: aPassKey(),
    id: 'a-new-id',
    signer: 'a-new-signer' as SignerName,
    contract: CONTRACT,
    client: 'acme',
    ...overrides,
  };
}

/** Returns a partner's request for the change. */
export const anUpdateRequest = (change: WantedChange): UpdateRequest => ({ client: 'acme', ...change });

/** Returns a pass that was requested a minute ago. A step in the overrides is pinned. */
export function aPass({ key, wanted, onChain, step, ...rest }: Overrides = {}): Pass {
  const expiry = wanted?.expiry;
  const events = rest.events ?? [{ eventType: 'TOKEN_ISSUED_INITIATED', timestamp: NOW - 60 }];
  return {
    id: PASS_ID,
    key: aPassKey(key),
    signer: 'ethereum/sepolia/0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' as SignerName,
    contract: CONTRACT,
    client: 'acme',
    version: 1,
    wanted: { state: 'ACTIVE', ...wanted },
    requested: expiry === undefined ? { isDefault: true } : { expiry },
    onChain: { state: 'NONE', ...onChain },
    rejected: false,
    step: step && { id: STEP_ID, kind: 'issue', expiry, revision: 0, isSubmitted: false, ...step },
    steps: step ? 1 : 0,
    events,
    feed: { examined: events.length, last: 0, pending: [] },
    ...rest,
  };
}

/** Returns the pass as an object stores it that has published nothing. */
export function aStoredPass(pass: Pass, overrides: Partial<StoredPass> = {}): StoredPass {
  return { pass, sent: { version: 0, eventsInFeed: 0, entriesInTrail: 0 }, tries: 0, olderEvents: 0, ...overrides };
}

/** Returns an issued, settled pass. */
export function anActivePass(overrides: Overrides = {}): Pass {
  const transaction = { identifier: TRANSACTION, status: 'confirmed' } as const;
  const expiry = overrides.wanted?.expiry;
  const issued = { id: `${PASS_ID}:0`, kind: 'issue', expiry, revision: 2, transaction: TRANSACTION } as const;
  return aPass({
    version: 3,
    steps: 1,
    past: [{ ...issued, before: { state: 'NONE' }, after: { state: 'ACTIVE', expiry } }],
    events: [
      { eventType: 'TOKEN_ISSUED_INITIATED', timestamp: NOW - 60, transaction },
      { eventType: 'TOKEN_ISSUED', timestamp: NOW - 30, transaction },
    ],
    ...overrides,
    onChain: { state: 'ACTIVE', expiry, ...overrides.onChain },
  });
}
