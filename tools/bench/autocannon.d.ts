/** The used parts of autocannon, which has no types. */
declare module 'autocannon' {
  interface Request {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  }
  interface Client {
    setRequests(requests: readonly Request[]): void;
  }
  interface Options {
    readonly url: string;
    readonly connections: number;
    /** Seconds; not with `amount`. */
    readonly duration?: number;
    readonly amount?: number;
    /** Seconds until a request without an answer fails. */
    readonly timeout: number;
    /** Milliseconds between two samples of the answers. */
    readonly sampleInt: number;
    readonly requests: readonly Request[];
    setupClient(client: Client): void;
  }
  interface Result {
    readonly start: Date;
    readonly finish: Date;
    readonly '2xx': number;
    readonly non2xx: number;
    readonly errors: number;
    readonly latency: { readonly p50: number; readonly p99: number };
  }
  export default function autocannon(options: Options): Promise<Result>;
}
