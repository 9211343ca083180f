/** How far a request has come, for the log: filled in on its way, so that it is known also where it ends. */
export interface RequestLog {
  route?: string;
  client?: string;
  /** Seconds that it asked to be waited for its pass: without it, so much time would look like a fault. */
  wait?: number;
}
