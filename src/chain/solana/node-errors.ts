import { COMMON_ERRORS, type ErrorTable } from '../rpc-answer.ts';

/** The errors of Solana's nodes. The codes are those of Agave (`rpc-client-api/src/custom_error.rs`), unless it says otherwise. */
export const SOLANA_ERRORS: ErrorTable = [
  // The error of a simulated transaction.
  { kind: 'execution', isShownBy: (data) => Boolean(Object(data).err) },
  COMMON_ERRORS.malformed,
  // -32005: the node is behind or unhealthy. 429 and 15: providers.
  { kind: 'rate-limit', codes: [429, -32005, 15] },
  { kind: 'no-history', codes: [-32011] },
  COMMON_ERRORS.batch,
  COMMON_ERRORS.unknownCall,
  // -32004: the block is not available. -32010: the list of accounts is too long. -32015: the transaction has a higher version than the
  // service asked for, so the chain has it, and the service cannot read it.
  { kind: 'lacking', codes: [-32004, -32010, -32015] },
  COMMON_ERRORS.rateLimit,
  { kind: 'lacking', text: /block (is )?not (found|available)/i },
  COMMON_ERRORS.unknownMethod,
];
