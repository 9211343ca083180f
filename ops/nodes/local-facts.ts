import type { Address } from 'viem';

/** The part of `.dev/localnet.json` that the operator's commands read. */
export interface LocalFacts {
  /** URL of the Worker with its base path; absent while only the localnet runs. */
  readonly baseUrl?: string;
  /** Folder of the Worker's databases and log, with its variables in `worker.env`; absent without a Worker. */
  readonly state?: string;
  /** The contracts that trust the verdict keys of the Worker, by network. */
  readonly verdictContracts?: Readonly<Record<string, Address>>;
  readonly tokenUrl?: string;
  /** The operator's client, and the audience of its tokens: the API under `/admin`. */
  readonly operator?: { readonly clientId: string; readonly clientSecret: string; readonly audience: string };
}
