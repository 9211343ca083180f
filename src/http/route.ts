import type { GenericSchema, InferOutput } from 'valibot';
import type { Config, Scope } from '../config/config.ts';
import type { Partner } from '../store/partners.ts';
import type { Shard } from '../store/shards.ts';
import { BOOKMARK } from './protocol/bookmark-header.ts';
import type { ProblemCode, Refusal } from './protocol/problem.ts';

/** An answer that is not a refusal; the body is JSON text or that of a file, null for none. */
export interface Reply {
  readonly status: number;
  readonly body: string | ReadableStream | null;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Id of the one pass it is about: for the log. */
  readonly pass?: string | undefined;
}

/** What an answer has beside its body and what all answers have; the document says what each is for. */
export type ReplyHeader = 'Gatepass-Bookmark' | 'ETag' | 'Location';

/** What the document says of an answer that is not a refusal. Answers are held against it by the tests only. */
export interface DeclaredReply {
  readonly description: string;
  /** Undefined: it has no body. Fields that it does not name may be added later. */
  readonly body?: GenericSchema;
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

/** What a handler works with: everything in it has been checked. */
export interface Context<Params, Body> {
  readonly params: Params;
  readonly body: Body;
  readonly partner: Partner;
  /** Where its passes can be read … */
  readonly shard: Shard;
  /** … and the bookmark of what the caller has seen there, as it came; null: none. */
  readonly seen: string | null;
  /** How many seconds it may be waited for the pass to settle, where the route waits; 0: not at all. */
  readonly wait: number;
  readonly config: Config;
  readonly env: Env;
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
  readonly env: Env;
  readonly config: Config;
  /** Scheme, host and port that the caller used. */
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
export interface AdminContext<Query, Body> {
  readonly query: Query;
  readonly body: Body;
  readonly config: Config;
  readonly env: Env;
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

/** `bookmark`: of who has seen this answer. */
export function reply(status: number, body: string, pass?: string, bookmark?: string): Reply {
  return { status, body, pass, ...(bookmark === undefined ? {} : { headers: { [BOOKMARK]: bookmark } }) };
}
