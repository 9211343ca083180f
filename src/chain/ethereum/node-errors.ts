import { COMMON_ERRORS, type ErrorKind, type ErrorTable, errorKindIn, type RpcError } from '../rpc-answer.ts';

/** The errors of nodes of Ethereum-type networks. */
export const ETHEREUM_ERRORS: ErrorTable = [
  { kind: 'execution', isShownBy: (data) => revertDataIn(data) !== undefined },
  COMMON_ERRORS.malformed,
  // Providers limit in many words (EIP-1474: -32005). -32011: a proxy of nodes has none left (proxyd).
  { kind: 'rate-limit', codes: [429, -32005, 15, -32011] },
  // 3: geth. -32015: OpenEthereum and its successors.
  { kind: 'execution', codes: [3, -32015] },
  // A revert may quote any text of the contract.
  {
    kind: 'execution',
    text: /\brevert|invalid opcode|invalid jump|stack (under|over)flow/i,
  },
  { kind: 'out-of-gas', text: /out ?of ?gas|gas required exceeds/i },
  COMMON_ERRORS.batch,
  COMMON_ERRORS.unknownCall,
  // -32004: EIP-1474. -39001: geth lacks the block. 4444: EIP-4444, geth has pruned it.
  { kind: 'lacking', codes: [-32004, -39001, 4444] },
  COMMON_ERRORS.rateLimit,
  // `unknown transaction type` must not match.
  { kind: 'known', text: /already (known|imported|exists|in (the )?(mempool|pool))|\bknown transaction|alreadyknown/i },
  {
    kind: 'no-funds',
    text: /insufficient ?(funds|balance)|doesn't have enough funds|upfront cost exceeds account balance/i,
  },
  { kind: 'rejected', text: /nonce ?too ?(low|high)|underpriced|intrinsic gas|exceeds block gas limit|fee cap/i },
  {
    kind: 'lacking',
    text: /(pending|finalized|safe|unknown) block|(block|header) (is )?not (found|available)|missing trie node/i,
  },
  COMMON_ERRORS.unknownMethod,
];

/** Returns the meaning of a node's error. */
export const errorKindOf = (error: RpcError): ErrorKind => errorKindIn(ETHEREUM_ERRORS, error);

/** Returns the data of a revert from any of the places where clients put it. */
export function revertDataIn(data: unknown): string | undefined {
  const nested = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  return typeof nested === 'string' ? /^(?:reverted )?(0x[0-9a-f]*)$/i.exec(nested.trim())?.[1] : undefined;
}
