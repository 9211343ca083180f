import { FAULT_KINDS, type KmsFault } from '../../../tools/localnet/kms/faults.ts';

/** They need a time, end nothing, or concern each call. */
const OTHERS = ['delay', 'clock', 'high-s', 'hang', 'stall'];
/** Of all calls, a tenth fails. */
const SHARE = 0.01;

/** A KMS as slow as a real one, which refuses, lies and fails at random. */
export const RANDOM_KMS_FAULTS: readonly KmsFault[] = [
  { kind: 'delay', ms: 30 },
  { kind: 'high-s', share: 0.5 },
  { kind: 'hang', share: SHARE / 4 },
  { kind: 'stall', share: SHARE / 4 },
  ...FAULT_KINDS.filter((kind) => !OTHERS.includes(kind)).map((kind) => ({ kind, share: SHARE })),
];
