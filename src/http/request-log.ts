/** Fields of a request's log line. Each stage adds its own, so the line also shows how far the request came. */
export interface RequestLog {
  readonly request_id: string;
  route?: string;
  client?: string;
  /** The `sub` of a person who signed in to the console. */
  sub?: string | undefined;
  /** Seconds that the request asked to wait. Without this field, a long request would look like a fault. */
  wait_s?: number;
}
