/** What the log line of a request says. Each stage adds what it learns, so that the line also tells how far a request came. */
export interface RequestLog {
  route?: string;
  client?: string;
  /** Seconds that the request asked to wait: without it, so long a request would look like a fault. */
  wait?: number;
}
