import type { Vendor } from './key-names.ts';

export type Operation = 'sign' | 'public-key';

/** The kinds of faults, and their effect on a call. */
export const FAULT_KINDS = [
  /** The answer comes after `ms`. */
  'delay',
  /** The KMS refuses because of too many requests. */
  'throttle',
  /** The credential may not use the key. */
  'deny',
  /** The credential has expired. */
  'expired-credential',
  /** The key is disabled. */
  'disabled-key',
  /** Status 503. */
  'unavailable',
  /** No answer comes. */
  'hang',
  /** The answer begins, and does not end. */
  'stall',
  /** The connection ends without an answer. */
  'drop',
  /** A key of somebody else signs. */
  'other-key',
  /** The answer has the public key of somebody else. */
  'other-public-key',
  /** The signature on secp256k1 has a high `s`. */
  'high-s',
  /** The signature is cut: no DER on secp256k1, no 64 bytes on Ed25519. */
  'malformed-signature',
  /** The checksums do not belong to the answer (GCP only). */
  'wrong-checksum',
  /** The answer does not confirm the checksum of the request (GCP only). */
  'unconfirmed-request',
  /** The clock of the KMS is ahead by `ms`, which may be negative. */
  'clock',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export interface KmsFault {
  readonly kind: FaultKind;
  readonly ms?: number;
  /** Only calls of this vendor, key or operation. */
  readonly vendor?: Vendor;
  readonly key?: string;
  readonly operation?: Operation;
  /** How many of these calls pass before the fault begins, and how many have it. Default: 0, and all. */
  readonly after?: number;
  readonly times?: number;
  /** The share of these calls, chosen at random. Default: 1. */
  readonly share?: number;
}

/** A call of the KMS. There may be no key with that name. */
export interface Call {
  readonly vendor: Vendor;
  readonly operation: Operation;
  readonly key: string;
}

/** The faults that are set, and how many calls each has seen. */
export class Faults {
  #set: { readonly fault: KmsFault; seen: number }[] = [];

  /** Replaces all faults. */
  replace(faults: readonly KmsFault[]): void {
    const unknown = faults.find(({ kind }) => !FAULT_KINDS.includes(kind));
    if (unknown) throw new Error(`there is no fault ${unknown.kind}`);
    this.#set = faults.map((fault) => ({ fault, seen: 0 }));
  }

  /** Returns the faults of a call, by kind, and counts it. */
  take(call: Call): Map<FaultKind, KmsFault> {
    const matching = this.#set.filter(({ fault }) =>
      (['vendor', 'key', 'operation'] as const).every((name) => (fault[name] ?? call[name]) === call[name]),
    );
    const active = matching.filter((each) => {
      const { after = 0, times = Number.POSITIVE_INFINITY, share = 1 } = each.fault;
      each.seen += 1;
      return each.seen > after && each.seen <= after + times && Math.random() < share;
    });
    return new Map(active.map(({ fault }) => [fault.kind, fault]));
  }
}
