/** The answers of the routes under `/admin`, as far as the console reads them. */

export interface Paused {
  readonly why: string;
  readonly until: number;
}

export interface SignerReport {
  readonly network: string;
  readonly chain: string;
  readonly address: string;
  readonly retired?: boolean;
  readonly compromised?: boolean;
  readonly paused?: Paused | null;
  readonly balance: string | null;
  readonly why?: string;
  readonly passesLeft?: number | null;
  readonly waitingByRank?: readonly number[];
  readonly inFlight?: Readonly<Record<string, number>>;
  readonly oldestPending?: { readonly ageSeconds?: number; readonly step: string } | null;
  readonly spending?: { readonly spent: string; readonly ceiling: string } | null;
  readonly lanes?: readonly LaneReport[];
  readonly contracts?: readonly ContractReport[];
}

export interface ContractReport {
  readonly contract: string;
  readonly code: string;
  readonly confirmed: boolean;
  readonly holdsSteps: boolean;
  readonly superAdmins: readonly string[];
  readonly forwarders: readonly string[];
  readonly changes: number;
}

export interface Partner {
  readonly clientId: string;
  readonly name: string;
  readonly status: string;
  readonly sandbox?: boolean;
  readonly networks: readonly string[] | null;
  readonly passLifetime: number | null;
  readonly dailyIssuances: number | null;
  readonly dailyChanges: number | null;
  readonly gatekeeperNetwork: string;
  readonly shard: string;
  readonly publicVerify: boolean;
  readonly createdAt: number;
}

export interface PartnerPage {
  readonly partners: readonly Partner[];
  readonly next: string | null;
}

export interface LaneReport {
  readonly gatekeeperNetwork: string;
  readonly waiting: number;
  readonly paused?: Paused | null;
}

export interface WatcherReport {
  readonly network: string;
  readonly status: string;
  readonly coveredUntil: number | null;
  readonly removedGatekeepers?: readonly string[];
  readonly why?: string;
  readonly waiting?: number;
  readonly foreignChanges?: number;
}

export interface PassKey {
  readonly id: string;
  readonly gatekeeperNetwork: string;
  readonly chain: { readonly type: string; readonly network: string };
  readonly walletAddress: string;
}

export interface StuckPass {
  readonly pass: PassKey;
  readonly since: number;
  readonly reason: string;
}

export interface StuckPage {
  readonly stuck: readonly StuckPass[];
  readonly next: string | null;
  readonly unreadShards?: readonly string[];
}

export interface DeadLetter {
  readonly id: string;
  readonly at: number;
  readonly reason: string;
  readonly body: unknown;
}

export interface DeadLetterPage {
  readonly deadLetters: readonly DeadLetter[];
  readonly next: string | null;
}

export interface Redriven {
  readonly redriven: number;
  readonly more?: boolean;
  readonly next?: string;
}

export interface OperatorWebhook {
  readonly id: string;
  readonly url?: string;
  readonly status: string;
  readonly unreachable?: boolean;
  readonly disabledReason?: string;
  readonly failingSince?: string;
  readonly lag?: number;
  readonly waiting?: number;
}

export interface WebhookPage {
  readonly webhooks: readonly OperatorWebhook[];
  readonly unreadShards?: readonly string[];
  readonly next: string | null;
}

export interface Reconciliation {
  readonly run: {
    readonly started: number;
    readonly finished: number | null;
    readonly counts: Readonly<Record<string, number>>;
    readonly held: readonly unknown[];
  } | null;
  readonly rebuilds: readonly { readonly shard: string; readonly started: number; readonly finished: number | null }[];
}

export interface Approval {
  readonly id: string;
  readonly action: string;
  readonly count: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly askedBy: { readonly client: string; readonly sub?: string };
  readonly expiresAt: number;
  readonly confirmedBy?: unknown;
}

export interface Explanation {
  readonly pass: PassKey;
  readonly reason: string;
  readonly remedy: string;
  readonly record?: {
    readonly state: string;
    readonly onChainState: string;
    readonly events: readonly { readonly transaction?: { readonly identifier: string; readonly status: string } }[];
  } | null;
  readonly readModel: string;
  readonly step?: { readonly kind: string; readonly id: string } | null;
  readonly tries: number;
  readonly signerName?: string;
  readonly signer: { readonly paused?: Paused | null } | null;
  readonly node: { readonly answers: boolean; readonly why?: string } | null;
}
