import type { GenericSchema, InferOutput } from 'valibot';
import type { Config, Scope } from '../config/config.ts';
import type { Partner } from '../store/partners.ts';
import type { Shard } from '../store/shards.ts';
import { BOOKMARK } from './bookmark.ts';
import type { Refusal } from './problem.ts';

/** An answer that is not a refusal; the body is JSON text, null for none. */
export interface Reply {
  readonly status: number;
  readonly body: string | null;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Id of the one pass it is about: for the log. */
  readonly pass?: string | undefined;
}

interface Common {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Parameters as `:name`. */
  readonly path: string;
  /** The base path is not before the path but behind it, since well-known places are those of a host (RFC 8615). */
  readonly wellKnown?: true;
  readonly summary: string;
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
  readonly config: Config;
  readonly env: Env;
}

/** A route that anybody may call. */
export interface PublicRoute extends Common {
  readonly scope: 'public';
  handle(context: PublicContext): Reply;
}

export interface PublicContext {
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
