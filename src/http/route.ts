import type { GenericSchema, InferOutput } from 'valibot';
import type { Actor, AuditEntry } from '../audit/entry.ts';
import type { AdminRight, Config, TokenScope } from '../config/config.ts';
import type { Backend } from '../operations/backend.ts';
import type { Partner } from '../store/partners.ts';
import type { Store } from '../store/store.ts';
import type { RateLimits } from './access/rate-limits.ts';
import type { Refusal } from './protocol/problem.ts';
import type { Reply } from './protocol/reply.ts';

interface Common {
  /** The name of the call in generated clients. Append-only. */
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Parameters have the form `:name`. */
  readonly path: string;
  /** The base path follows the path instead of preceding it, because a well-known path belongs to a host (RFC 8615). */
  readonly wellKnown?: true;
  /** The route also exists without the base path. */
  readonly alsoAtRoot?: true;
}

/** The input of the handler of a route that needs a token. All of it is validated. */
interface TokenContext<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The client or the person that sends the request. */
  readonly actor: Actor;
  readonly config: Config;
  /** Id of the request, for the problem documents of items and the entries of its changes. */
  readonly requestId: string;
}

export interface Context<Params, Query, Body> extends TokenContext<Params, Query, Body> {
  readonly backend: Backend;
  readonly partner: Partner;
  /** The bookmark as the caller sent it; null if there is none. */
  readonly bookmark: string | null;
  /** Maximum number of seconds to wait for the pass to settle. 0 on a route that does not wait. */
  readonly waitSeconds: number;
  /** Whether the client may learn now why a pass waits. Each call counts. */
  readonly mayExplain: () => Promise<boolean>;
}

interface AdminContext<Params, Query, Body> extends TokenContext<Params, Query, Body>, Backend {
  readonly assets: Fetcher;
  /** Scheme, host and port of the service. */
  readonly origin: string;
}

/** A route that needs no token. */
export interface PublicRoute extends Common {
  readonly scope: 'public';
  /** Pages of every origin may read the responses. */
  readonly anyOrigin?: true;
  /** The query that the handler validates. Undefined: the route ignores the query. */
  readonly query?: GenericSchema;
  handle(context: PublicContext): Reply | Refusal | Promise<Reply | Refusal>;
}

export interface PublicContext {
  /** The values as sent in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly request: Request;
  readonly assets: Fetcher;
  readonly store: Store;
  readonly signerObject: Backend['signerObject'];
  readonly config: Config;
  readonly limits: RateLimits;
  /** Scheme, host and port of the service. */
  readonly origin: string;
}

/** A route that needs a token, and the schemas of its input. */
interface TokenRoute<P, Q, B> extends Common {
  /** Undefined: the path has no parameters. */
  readonly params?: P;
  /** Undefined: a partner's route ignores the query, and the operator's refuses one. */
  readonly query?: Q;
  /** Undefined: the route takes no body. */
  readonly body?: B;
  /** The route takes many items: it accepts larger bodies, and one of partners has its own rate limit. */
  readonly bulk?: true;
}

/**
 * A route for partners, as one object: the router, the authorizer and the OpenAPI generator read it. The scope is required, and
 * the router checks it before the handler runs.
 */
export interface PartnerRoute<
  P extends GenericSchema = GenericSchema,
  Q extends GenericSchema = GenericSchema,
  B extends GenericSchema = GenericSchema,
> extends TokenRoute<P, Q, B> {
  readonly scope: TokenScope;
  /** The route accepts `Prefer: wait=N` (RFC 7240): it may respond once the pass has settled. */
  readonly waits?: true;
  /** The route exists only for clients of a sandbox. */
  readonly sandbox?: true;
  /** The name of the change in the audit trail of the gatekeeper network, as for `AdminRoute`. A pass object writes its own entries. */
  readonly action?: `${'webhook' | 'subject' | 'rules'}.${string}`;
  /** Whether the action takes access away. Then neither a full day nor an audit trail that does not answer refuses it. */
  isLoss?(input: { readonly body: InferOutput<B> }): boolean;
  /**
   * Whether the request reads more than about 200 rows, for which other partners of the database would wait. Such requests have a
   * rate limit of their own besides that of the route.
   */
  readsMany?(input: { readonly query: InferOutput<Q>; readonly body: InferOutput<B> }): boolean;
  handle(context: Context<InferOutput<P>, InferOutput<Q>, InferOutput<B>>): Promise<AuditedReply | Refusal>;
}

/** A route for the operator. It exists only if operator tokens are configured, and refuses partners' tokens. */
export interface AdminRoute<
  P extends GenericSchema = GenericSchema,
  Q extends GenericSchema = GenericSchema,
  B extends GenericSchema = GenericSchema,
> extends TokenRoute<P, Q, B> {
  readonly scope: 'admin';
  /** The right that the token needs. A route without `action` changes nothing. */
  readonly right: AdminRight;
  /** Another right that suffices too. */
  readonly orRight?: AdminRight;
  /** The name of the action in the audit trail. The router writes its entry, and refuses the action without one. */
  readonly action?: `operator.${string}`;
  handle(context: AdminContext<InferOutput<P>, InferOutput<Q>, InferOutput<B>>): Promise<AuditedReply | Refusal>;
}

/** A reply with the part of the audit entry that only the route knows. Also of a partner's route with an `action`. */
export interface AuditedReply extends Reply {
  readonly audit?: Pick<AuditEntry, 'before' | 'after'> & {
    readonly counts?: object;
    /** The action has not happened: it waits for a second person. */
    readonly approval?: string;
  };
}

/** Returns the rights of which one suffices for the route, the narrowest first. */
export const rightsOf = ({ right, orRight }: Pick<AdminRoute, 'right' | 'orRight'>): readonly AdminRight[] =>
  orRight === undefined ? [right] : [right, orRight];

export type Route = PublicRoute | PartnerRoute | AdminRoute;

/** Returns the route. Infers the handler's types from the route's schemas. */
export function route<const P extends GenericSchema, const Q extends GenericSchema, const B extends GenericSchema>(
  definition: PartnerRoute<P, Q, B>,
): PartnerRoute {
  return definition as unknown as PartnerRoute;
}

/** Returns the fields of a route that shows something to the operator. */
export const reads = (operationId: string, path: string) =>
  ({ operationId, method: 'GET', path, right: 'read' }) as const;

/** Returns the fields of a route by which the operator changes something. */
export const acts = (operationId: string, path: string, action: `operator.${string}`) =>
  ({ operationId, method: 'POST', path, right: 'act', action }) as const;

/** Returns a route for the operator. Infers the handler's types from the route's schemas. */
export function adminRoute<const P extends GenericSchema, const Q extends GenericSchema, const B extends GenericSchema>(
  definition: Omit<AdminRoute<P, Q, B>, 'scope'>,
): AdminRoute {
  return { ...definition, scope: 'admin' } as unknown as AdminRoute;
}
