import type { Pass, PassKey, PinnedStep } from '../../../src/pass/pass.ts';

/** Unix seconds; the moment at which the passes of the tests are looked at. */
export const NOW = 1_800_000_000;
export const PASS_ID = '019f0000-0000-7000-8000-000000000001';
/** The id of the step that `aPass({ step: … })` pins. */
export const STEP_ID = `${PASS_ID}:1`;
export const TRANSACTION = `0x${'ab'.repeat(32)}`;

export type Overrides = Partial<Omit<Pass, 'key' | 'wanted' | 'onChain' | 'step'>> & {
  readonly key?: Partial<PassKey>;
  readonly wanted?: Partial<Pass['wanted']>;
  readonly onChain?: Partial<Pass['onChain']>;
  readonly step?: Partial<PinnedStep> | undefined;
};

/** A pass that was asked for a minute ago, and what the test says about it. A step that is named is pinned. */
export function aPass({ key, wanted, onChain, step, ...rest }: Overrides = {}): Pass {
  const expiry = wanted?.expiry;
  return {
    id: PASS_ID,
    key: {
      gatekeeperNetwork: 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf',
      chain: 'ethereum',
      network: 'sepolia',
      wallet: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      ...key,
    },
    signer: 'ethereum/sepolia/0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    version: 1,
    wanted: { state: 'ACTIVE', ...wanted },
    onChain: { state: 'NONE', ...onChain },
    rejected: false,
    step: step && { id: STEP_ID, kind: 'issue', expiry, revision: 0, held: false, ...step },
    steps: step ? 1 : 0,
    events: [{ eventType: 'TOKEN_ISSUED_INITIATED', timestamp: NOW - 60 }],
    ...rest,
  };
}

/** A pass that is issued, with nothing left to do. */
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
