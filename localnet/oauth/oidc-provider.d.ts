/** The used part of oidc-provider, which has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Client {
    readonly clientId: string;
    readonly scope?: string;
  }

  export interface Context {
    readonly oidc: { readonly params: { scope?: string } };
  }

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  }

  export const errors: { readonly InvalidTarget: new (description?: string) => Error };
}
