import type { Change, FeedType } from '../../../src/pass/vocabulary.ts';
import type { LocalnetPartner } from './localnet-partner.ts';
import type { PassRecord } from './partner-client.ts';

/** A stage in the life of a pass: the partner's request, and the expected result. */
export interface LifeStage {
  readonly name: string;
  /** The event of its completion. */
  readonly change: Change;
  /** The type of that event in the feed. */
  readonly feedType: FeedType;
  /** The state of the pass and of its token afterwards. */
  readonly state: string;
  /** Whether a dApp accepts the wallet afterwards. */
  readonly accepted: boolean;
  ask(client: LocalnetPartner, network: string, wallet: string): Promise<PassRecord>;
}

const NEXT_YEAR_UNIX_SECONDS = Math.floor(Date.now() / 1000) + 365 * 24 * 3600;

/** All stages in order. */
export const LIFE_STAGES: readonly LifeStage[] = [
  {
    name: 'issue',
    change: 'TOKEN_ISSUED',
    feedType: 'pass.issued',
    state: 'ACTIVE',
    accepted: true,
    ask: (client, ...pass) => client.issue(...pass),
  },
  {
    name: 'freeze',
    change: 'TOKEN_FROZEN',
    feedType: 'pass.frozen',
    state: 'FROZEN',
    accepted: false,
    ask: (client, ...pass) => client.update(...pass, { state: 'FROZEN' }),
  },
  {
    name: 'unfreeze',
    change: 'TOKEN_UNFROZEN',
    feedType: 'pass.unfrozen',
    state: 'ACTIVE',
    accepted: true,
    ask: (client, ...pass) => client.update(...pass, { state: 'ACTIVE' }),
  },
  {
    name: 'new expiry',
    change: 'TOKEN_EXPIRY_CHANGED',
    feedType: 'pass.expiry_changed',
    state: 'ACTIVE',
    accepted: true,
    ask: (client, ...pass) => client.update(...pass, { expiryTimestamp: NEXT_YEAR_UNIX_SECONDS }),
  },
  {
    name: 'revoke',
    change: 'TOKEN_REVOKED',
    feedType: 'pass.revoked',
    state: 'REVOKED',
    accepted: false,
    ask: (client, ...pass) => client.revoke(...pass),
  },
];

/** Requests the stage and waits for its end. Yields each record in between. */
export async function runStage(
  { ask, change }: LifeStage,
  client: LocalnetPartner,
  network: string,
  wallet: string,
  onLook?: (pass: PassRecord) => void,
): Promise<PassRecord> {
  const since = await ask(client, network, wallet);
  onLook?.(since);
  return client.untilSettled(network, wallet, { ended: { change, since }, ...(onLook && { onLook }) });
}
