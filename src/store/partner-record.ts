import type { UnixSeconds } from '../lib/units.ts';
import type { Contracts } from '../network/network.ts';
import type { SubjectRules } from '../pass/subject-changes.ts';

/** A partner with all its settings, as the operator sees it. Null: no limit, or no organization. */
export interface PartnerRecord {
  readonly clientId: string;
  readonly name: string;
  readonly gatekeeperNetwork: string;
  /** Whether its networks are simulated. */
  readonly sandbox: boolean;
  readonly shard: string;
  readonly contracts: Contracts;
  readonly rules: SubjectRules;
  readonly networks: readonly string[] | null;
  readonly passLifetime: number | null;
  readonly dailyIssuances: number | null;
  readonly dailyChanges: number | null;
  readonly organization: string | null;
  readonly publicVerify: boolean;
  readonly status: 'active' | 'suspended';
  readonly createdAt: UnixSeconds;
}

/** The settings of a gatekeeper network. */
export type NetworkRecord = Pick<
  PartnerRecord,
  'gatekeeperNetwork' | 'sandbox' | 'shard' | 'contracts' | 'rules' | 'publicVerify'
>;
