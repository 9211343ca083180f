/** The used part of oidc-provider, which has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Client {
    readonly clientId: string;
    readonly scope?: string;
    readonly redirectUris?: readonly string[];
    readonly postLogoutRedirectUris?: readonly string[];
    redirectUriAllowed(uri: string): boolean;
    postLogoutRedirectUriAllowed(uri: string): boolean;
  }

  export interface Context {
    readonly oidc: { readonly params: { scope?: string } };
  }

  /** A token while it is issued. `accountId` is undefined for client credentials. */
  export interface Token {
    readonly accountId?: string;
  }

  export interface Grant {
    addOIDCScope(scope: string): void;
    rejectOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    rejectResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    readonly Grant: new (of: {
      readonly accountId: string;
      readonly clientId: string;
    }) => Grant;
    readonly Client: { readonly prototype: Client };
    /** Whether it believes the headers of a proxy. */
    proxy: boolean;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ params: { client_id: string; resource?: string; scope?: string } }>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options: { readonly mergeWithLastSubmission: boolean },
    ): Promise<void>;
  }

  export const errors: { readonly InvalidTarget: new (description?: string) => Error };
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  /** Keeps everything in memory. */
  const MemoryAdapter: new (name: string) => object;
  export default MemoryAdapter;
}
