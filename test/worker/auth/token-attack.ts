import type { JWTPayload } from 'jose';
import type { Issuer } from './an-issuer.ts';

/** Claims of a token; undefined leaves one out. */
export type Claims = Readonly<Record<string, unknown>>;

/** The issuer under attack: its keys, a forger that uses the id of one of them, and the claims of its valid tokens. */
export interface Target {
  readonly rsa: Issuer;
  readonly ps: Issuer;
  readonly ec: Issuer;
  readonly ed: Issuer;
  /** A forger with another key under the kid of `ec`. */
  readonly forger: Issuer;
  readonly clientId: string;
  readonly issuer: string;
  readonly audience: string;
  /** Unix seconds. */
  now(): number;
  /** Returns the claims of a valid token with these overrides. */
  claims(overrides?: Claims): JWTPayload;
}

export interface TokenAttack {
  /** Completes the sentence "refuses a token …". */
  readonly name: string;
  /** The detail of the refusal, whose code is `token_invalid`. */
  readonly detail: RegExp;
  /** The variants of the attack. */
  forge(target: Target): readonly (Promise<string> | string)[];
}

/** Details of refusals that several attacks share. */
export const FORM = /^the header must be/;
export const SIGNATURE = /^signature verification failed$/;
export const TOO_LONG = /longer than 8 KiB/;
