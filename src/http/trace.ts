/** How far a request has come, for the log: filled in on its way, so that it is known also where it ends. */
export interface Trace {
  route?: string;
  client?: string;
}
