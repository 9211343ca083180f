/** The state of a watcher, for the operator and the metrics. */
export interface WatcherStatus {
  /** Whether the configuration lets it watch: the network has endpoints, and its switch is on. */
  readonly isOn: boolean;
  /** Time up to which it has covered the chain (Unix seconds); null: it has covered nothing yet. */
  readonly coveredUntil: number | null;
  /** Number of spans of the chain that it has not read yet. */
  readonly gaps: number;
  /** Number of those that no endpoint serves. The reconciliation reads the passes of the network instead. */
  readonly unservedGaps: number;
  /** Number of changes that wait for a reading or for their final block. */
  readonly waiting: number;
  /** Number of changes by others that passes have adopted since the watcher began. */
  readonly foreignChanges: number;
  /** Tokens that others have issued to wallets without a pass since the watcher began. */
  readonly issuedByOthers: readonly IssuedByOthers[];
  /** Gatekeepers whose removal has voided the tokens that they had issued. */
  readonly removedGatekeepers: readonly { readonly gatekeeperNetwork: string; readonly gatekeeper: string }[];
  /** Why the last reading failed; null: it did not. */
  readonly why: string | null;
}

/** Tokens that one gatekeeper has issued. */
export interface IssuedByOthers {
  readonly gatekeeperNetwork: string;
  /** Null: unknown. */
  readonly gatekeeper: string | null;
  readonly tokens: number;
  /** Unix seconds. */
  readonly lastAt: number;
}
