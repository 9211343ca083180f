import { numberToHex } from 'viem/utils';
import { type BlockRange, type LogQuery, logsCall, logsOf } from '../../src/chain/ethereum/logs.ts';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import type { JsonRpc } from '../../src/chain/json-rpc.ts';
import { RpcFault } from '../../src/chain/port.ts';
import type { RpcAnswer } from '../../src/chain/rpc-answer.ts';
import { SLOT_CHANGED } from './ethereum-abi.ts';
import type { EthereumSource } from './ethereum-source.ts';

/** The ids of the tokens that entered and left a slot in a range of blocks. Ids increase in the order of issuance, except those of SlimGateway. */
export interface SlotLogs {
  readonly minted: readonly bigint[];
  readonly burned: readonly bigint[];
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
  const query = (oldSlot: string, newSlot: string): LogQuery => ({
    addresses: [source.gateway],
    topics: [SLOT_CHANGED, null, oldSlot, newSlot],
    ...range,
  });
  const [mints, burns] = [query(NO_SLOT, slot), query(slot, NO_SLOT)];
  // A node that lacks the last block of the range would answer without the logs of the missing blocks.
  const [last, minted, burned] = await send([
    { ...rpc.block(rpc.hex(range.to)), needed: true },
    logsCall(mints),
    logsCall(burns),
  ]);
  if (rpc.numberOf(last) !== range.to) throw new RpcFault(`the node does not have block ${range.to}`);
  return { minted: idsIn(minted, mints), burned: idsIn(burned, burns) };
}

/** Returns the token ids of the logs. */
function idsIn(answer: RpcAnswer | undefined, query: LogQuery): bigint[] {
  return logsOf(answer, query).map(({ topics }) => BigInt(topics[1] as string));
}
