import type { GenericSchema } from 'valibot';
import type { ProblemCode } from '../../src/http/protocol/problem.ts';
import type { Described, FieldTexts } from './describe.ts';

/** Headers of single replies. Every response also has the headers of all responses. */
export type ReplyHeader = 'Gatepass-Bookmark' | 'ETag' | 'Location' | 'Cache-Control' | 'Age';

/** Examples by name. */
export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

/** A reply that is not a refusal. The tests compare each reply of the Worker with it. */
export interface DeclaredReply {
  readonly description: string;
  /** Undefined: the reply has no JSON body. */
  readonly body?: GenericSchema;
  /** Of the body. Undefined: one example that combines those of its fields. */
  readonly examples?: Examples;
  /** Media type of the body; undefined: JSON. */
  readonly mediaType?: string;
  readonly headers?: readonly ReplyHeader[];
}

/** The text of the document about a route, and the replies and refusals on which its callers may rely. */
export interface Operation {
  readonly summary: string;
  /** Markdown with facts beyond the summary and the fields. */
  readonly description: string;
  /** The texts of the query parameters. */
  readonly query?: FieldTexts;
  readonly request?: { readonly body: Described; readonly examples: Examples };
  /** Replies by status. */
  readonly replies: Readonly<Record<number, DeclaredReply>>;
  /** Codes beyond those of every route with its scope, and of every route with a body. */
  readonly refuses?: readonly ProblemCode[];
  /** Codes of items, beyond `invalid_json`, `invalid_request` and `temporarily_unavailable`. */
  readonly itemRefuses?: readonly ProblemCode[];
}

/** Operations by the `operationId` of their routes. */
export type Operations = Readonly<Record<string, Operation>>;
