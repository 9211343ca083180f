import { jsonRpc } from '../../src/chain/json-rpc.ts';
import { identityOf } from '../../src/chain/solana/rpc.ts';
import { slotOf } from '../../src/network/slot.ts';
import { Failure } from '../../terminal/failure.ts';
import type { NetworkNodes } from '../nodes/open-nodes.ts';
import { openEthereumSource } from './ethereum-source.ts';
import { readByIndex } from './read-by-index.ts';
import { readByLogs } from './read-by-logs.ts';
import { readSolana } from './read-solana.ts';
import { PAUSE_MS, patientFetch } from './retry.ts';
import type { TokenReader } from './token.ts';

export interface ReaderOptions {
  readonly gatekeeperNetwork: string;
  /** Slot numbers of gatekeeper networks, in addition to the built-in table. */
  readonly slots: Readonly<Record<string, bigint>>;
  /** Ethereum-type: the first block whose logs are read; undefined: the block of the contract's deployment. */
  readonly fromBlock?: number | undefined;
  /** Ethereum-type: reads the contract's list of tokens instead of its logs. */
  readonly byIndex?: boolean;
  /** Solana: gatekeepers, in addition to the configured ones, for a provider that refuses every query without one. */
  readonly gatekeepers?: readonly string[];
  /** The pause before the second try of a reading. It doubles before each further try. */
  readonly pauseMs?: number;
  /** Receives a note for the operator. */
  readonly say: (line: string) => void;
}

/** Returns the reader of a gatekeeper network's tokens on one network. Throws Failure if its contract is unknown. */
export function openReader({ network, endpoints, gatekeepers }: NetworkNodes, options: ReaderOptions): TokenReader {
  const { gatekeeperNetwork, slots, fromBlock, byIndex = false, pauseMs = PAUSE_MS, say } = options;
  if (network.chain === 'solana') {
    const open = () => jsonRpc(endpoints, identityOf(network), patientFetch);
    const source = { network, gatekeeperNetwork, send: open(), sendParts: open(), pauseMs };
    const known = [...new Set([...gatekeepers, ...(options.gatekeepers ?? [])])];
    return (position) => readSolana(source, known, position);
  }
  const slot = slotOf(gatekeeperNetwork, slots);
  if (slot === undefined) throw new Failure(`${gatekeeperNetwork} is not the key of a gatekeeper network`, 2);
  const source = openEthereumSource(network, endpoints, slot, pauseMs);
  return (position) => (byIndex ? readByIndex(source, position) : readByLogs(source, { fromBlock, say }, position));
}
