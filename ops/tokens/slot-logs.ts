import { numberToHex } from 'viem/utils';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import type { JsonRpc } from '../../src/chain/json-rpc.ts';
import type { RpcCall } from '../../src/chain/json-rpc-batch.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { errorKindOf, type RpcAnswer, type RpcError, resultOf } from '../../src/chain/rpc-answer.ts';
import { SLOT_CHANGED } from './ethereum-abi.ts';
import type { EthereumSource } from './ethereum-source.ts';

/** The ids of the tokens that entered and left a slot in a range of blocks. Ids increase in the order of issuance. */
export interface SlotLogs {
  readonly minted: readonly bigint[];
  readonly burned: readonly bigint[];
}

export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** JSON-RPC 2.0 §5.1. Some providers refuse a range that is too wide with it. */
const INVALID_PARAMETERS = -32_602;

/** The node refuses a log query. */
export class LogsRefused extends RpcFault {
  /** Whether the node lacks the method or the blocks, so that no smaller range can help. */
  readonly hasNoLogs: boolean;

  constructor(error: RpcError) {
    super(`a read failed: ${error.message}`);
    this.hasNoLogs = errorKindOf(error) === 'lacking' && error.code !== INVALID_PARAMETERS;
  }
}

/**
 * Reads the logs of a range of final blocks. If the network has several endpoints, two must return the same logs, because one
 * that omits a log would otherwise hide a token. Throws RpcFault if none answers, or if they disagree.
 */
export async function readSlotLogs(source: EthereumSource, range: BlockRange): Promise<SlotLogs> {
  const answers: SlotLogs[] = [];
  const faults: unknown[] = [];
  for (const { send } of source.logEndpoints.alone) {
    if (answers.length === 2) break;
    try {
      answers.push(await readFrom(send, source, range));
    } catch (fault) {
      if (!(fault instanceof RpcFault)) throw fault;
      faults.push(fault);
    }
  }
  const [first, second] = answers;
  if (first === undefined) throw faults[0];
  if (second !== undefined && textOf(first) !== textOf(second)) throw new RpcFault('the endpoints disagree');
  return first;
}

const textOf = ({ minted, burned }: SlotLogs) => `${minted.join()};${burned.join()}`;
const topicOf = (number: bigint) => numberToHex(number, { size: 32 });
const NO_SLOT = topicOf(0n);

async function readFrom(send: JsonRpc, source: EthereumSource, range: BlockRange): Promise<SlotLogs> {
  const slot = topicOf(source.slot);
  const logs = (from: string, to: string): RpcCall => ({
    method: 'eth_getLogs',
    params: [
      {
        address: source.gateway,
        topics: [SLOT_CHANGED, null, from, to],
        fromBlock: rpc.hex(range.from),
        toBlock: rpc.hex(range.to),
      },
    ],
  });
  // A node that lacks the last block of the range would answer without the logs of the missing blocks.
  const [last, minted, burned] = await send([
    { ...rpc.block(rpc.hex(range.to)), needed: true },
    logs(NO_SLOT, slot),
    logs(slot, NO_SLOT),
  ]);
  if (rpc.numberOf(last) !== range.to) throw new RpcFault(`the node does not have block ${range.to}`);
  return {
    minted: idsIn(minted, source, range, [NO_SLOT, slot]),
    burned: idsIn(burned, source, range, [slot, NO_SLOT]),
  };
}

/** Returns the token ids of the logs. Throws RpcFault if a log does not belong to the query. */
function idsIn(
  answer: RpcAnswer | undefined,
  { gateway }: EthereumSource,
  { from, to }: BlockRange,
  slots: readonly string[],
): bigint[] {
  if (answer !== undefined && 'error' in answer) throw new LogsRefused(answer.error);
  const logs = resultOf<unknown>(answer);
  if (!Array.isArray(logs)) throw new RpcFault('the logs cannot be read');
  return logs.map((log: unknown) => {
    const { address, topics, blockNumber, removed } = Object(log) as Record<string, unknown>;
    const [event, id, ...others] = Array.isArray(topics) ? topics.map((topic) => String(topic).toLowerCase()) : [];
    const isOurs =
      String(address).toLowerCase() === gateway.toLowerCase() &&
      event === SLOT_CHANGED &&
      /^0x[0-9a-f]{64}$/.test(id ?? '') &&
      others.join() === slots.join() &&
      Number(blockNumber) >= from &&
      Number(blockNumber) <= to &&
      removed !== true;
    if (!isOurs) throw new RpcFault('a log does not belong to the query');
    return BigInt(id as string);
  });
}
