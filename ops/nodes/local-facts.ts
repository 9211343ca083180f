/** The part of `.dev/localnet.json` that the operator's commands read. */
export interface LocalFacts {
  /** URL of the Worker with its base path; absent while only the localnet runs. */
  readonly baseUrl?: string;
  /** Folder of the Worker's databases and log, with its variables in `worker.env`; absent without a Worker. */
  readonly state?: string;
  readonly tokenUrl?: string;
  /** The operator's client, and the audience of its tokens: the API under `/admin`. */
  readonly operator?: { readonly clientId: string; readonly clientSecret: string; readonly audience: string };
}
