/** A refusal of the KMS, with the status and the name of its vendor. */
export class KmsRefusal extends Error {
  readonly status: number;
  /** `__type` of AWS, `status` of google.rpc.Status. */
  readonly type: string;

  constructor(status: number, type: string, message: string) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

/** A request as the vendors' rules see it. */
export interface KmsRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}
