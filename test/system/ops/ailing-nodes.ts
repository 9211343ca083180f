import { numberToHex } from 'viem';
import type { Altering } from './altered-node.ts';

/** What may be wrong with a node, as `startAlteredNode` takes it. */

const instead = (method: string, said: { result?: unknown; error?: { code: number; message: string } }): Altering => ({
  answer: (answered) => (answered.method === method ? said : { result: answered.result }),
});

/** Its newest block is an hour old. */
export const BEHIND: Altering = {
  answer: ({ result }) => {
    const { timestamp } = Object(result) as { timestamp?: string };
    return { result: timestamp ? { ...Object(result), timestamp: numberToHex(Number(timestamp) - 3600) } : result };
  },
};

/** It knows no state of any block, and says so with these words. */
export const withoutState = (message: string) => instead('eth_call', { error: { code: -32000, message } });

/** It does not know the block "safe". */
export const WITHOUT_SAFE: Altering = {
  answer: ({ params, result }) => ({ result: params[0] === 'safe' ? null : result }),
};

export const WITHOUT_HISTORY = instead('getSignatureStatuses', {
  error: { code: -32011, message: 'Transaction history is not available from this node' },
});

/** It is of Solana's mainnet. */
export const ON_MAINNET = instead('getGenesisHash', { result: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' });
