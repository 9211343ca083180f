import type { GenericSchema, InferOutput } from 'valibot';
import type { Config, Scope } from '../config/config.ts';
import type { Backend } from '../operations/backend.ts';
import type { Partner } from '../store/partners.ts';
import type { ProblemCode, Refusal } from './protocol/problem.ts';
import type { Reply } from './protocol/reply.ts';
import type * as adminReplies from './schemas/admin-replies.ts';
import type * as reconciliationReplies from './schemas/reconciliation-replies.ts';
import type * as replies from './schemas/replies.ts';

/** What an answer has beside its body and what all answers have; the document says what each is for. */
export type ReplyHeader = 'Gatepass-Bookmark' | 'ETag' | 'Location';

/** Name of the schema of a reply's body. A name and not the schema, so that the Worker does not build schemas it never uses. */
export type ReplySchema = keyof typeof replies | keyof typeof adminReplies | keyof typeof reconciliationReplies;

/** One reply of a route, for the OpenAPI document. The tests compare each reply of the Worker with it; the Worker does not. */
export interface DeclaredReply {
  readonly description: string;
  /** Undefined: the reply has no JSON body. */
  readonly body?: ReplySchema;
  /** Of the body; undefined: JSON. */
  readonly mediaType?: string;
  readonly headers?: readonly ReplyHeader[];
}

interface Common {
  /** The name that generated clients give the call: append-only. */
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Parameters as `:name`. */
  readonly path: string;
  /** The base path is not before the path but behind it, since well-known places are those of a host (RFC 8615). */
  readonly wellKnown?: true;
  /** It answers without the base path too. */
  readonly alsoAtRoot?: true;
  readonly summary: string;
  /** Markdown: what the summary and the fields do not say. Whatever the document lists has one. */
  readonly description?: string;
  /** By status. */
  readonly replies: Readonly<Record<number, DeclaredReply>>;
  /** What it refuses beside what every route of its scope, and every one with a body, may refuse. */
  readonly refuses?: readonly ProblemCode[];
}

/** What the handler of a partner's route works with: everything in it has been checked. */
export interface Context<Params, Body> extends Backend {
  readonly params: Params;
  readonly body: Body;
  readonly partner: Partner;
  /** The bookmark of what the caller has seen, as it was sent; null for none. */
  readonly bookmark: string | null;
  /** How many seconds the handler may wait for the pass to settle, on a route that waits. */
  readonly waitSeconds: number;
  readonly config: Config;
}

/** A route that anybody may call. */
export interface PublicRoute extends Common {
  readonly scope: 'public';
  /** For people with a browser: not in the document. */
  readonly unlisted?: true;
  handle(context: PublicContext): Reply | Refusal | Promise<Reply | Refusal>;
}

export interface PublicContext {
  /** As they stand in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly request: Request;
  readonly assets: Fetcher;
  readonly config: Config;
  /** Scheme, host and port of the service. */
  readonly origin: string;
}

/**
 * A route of partners, as one object: the router, the authorizer and the documents read it. The scope is checked
 * before the handler runs; a route cannot be written without one.
 */
export interface PartnerRoute<P extends GenericSchema = GenericSchema, B extends GenericSchema = GenericSchema>
  extends Common {
  readonly scope: Scope;
  readonly params: P;
  /** Undefined: the route takes no body. */
  readonly body?: B;
  /** `Prefer: wait=N` (RFC 7240) is taken: it may answer when the pass has settled. */
  readonly waits?: true;
  handle(context: Context<InferOutput<P>, InferOutput<B>>): Promise<Reply | Refusal>;
}

/** What the handler of an operator's route works with. */
export interface AdminContext<Query, Body> extends Backend {
  readonly query: Query;
  readonly body: Body;
  readonly config: Config;
}

/** A route of the operator: it is there only where the operator has tokens of its own, and no partner's token opens it. */
export interface AdminRoute<Q extends GenericSchema = GenericSchema, B extends GenericSchema = GenericSchema>
  extends Common {
  readonly scope: 'admin';
  readonly query: Q;
  /** Undefined: the route takes no body. */
  readonly body?: B;
  handle(context: AdminContext<InferOutput<Q>, InferOutput<B>>): Promise<Reply | Refusal>;
}

export type Route = PublicRoute | PartnerRoute | AdminRoute;

/** Keeps the types of a route's parts together while it is written. */
export function route<const P extends GenericSchema, const B extends GenericSchema>(
  definition: PartnerRoute<P, B>,
): PartnerRoute {
  return definition as unknown as PartnerRoute;
}

export function adminRoute<const Q extends GenericSchema, const B extends GenericSchema>(
  definition: AdminRoute<Q, B>,
): AdminRoute {
  return definition as unknown as AdminRoute;
}
