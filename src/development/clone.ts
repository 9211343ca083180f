/// <reference path="./text.d.ts" />
import type { JWK } from 'jose';
import text from '../../.wrangler/development.txt';

/** The data that `tools/development.ts` makes for this clone before wrangler builds the Worker. */
export interface Clone {
  /** The private key of the issuer, which only this clone has. */
  readonly key: JWK & { readonly kid: string; readonly alg: string };
  readonly client: { readonly id: string; readonly secret: string };
  /** Port at which the Worker answers. */
  readonly port: number;
  readonly migrations: readonly Migration[];
  /** The rows of the client and of its sandbox. They may exist. */
  readonly rows: readonly string[];
}

export interface Migration {
  readonly name: string;
  readonly queries: readonly string[];
}

export const CLONE = JSON.parse(text) as Clone;
