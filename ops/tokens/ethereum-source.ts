import type { Hex } from 'viem';
import { isOld } from '../../src/chain/block-age.ts';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { type Endpoints, openEndpoints } from '../../src/chain/json-rpc.ts';
import type { RpcCall } from '../../src/chain/json-rpc-batch.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { type RpcAnswer, resultOf } from '../../src/chain/rpc-answer.ts';
import type { Secret } from '../../src/lib/secret.ts';
import type { EthereumNetwork } from '../../src/network/network.ts';
import { Failure } from '../../terminal/failure.ts';
import { patientFetch, type Retried } from './retry.ts';

/** The contract on one network, and a gatekeeper network in it. */
export interface EthereumSource extends Retried {
  readonly network: EthereumNetwork;
  readonly gateway: Hex;
  readonly slot: bigint;
  readonly endpoints: Endpoints;
  /** The same endpoints for log queries. A refused log query must not reduce the size of the other requests. */
  readonly logEndpoints: Endpoints;
}

export function openEthereumSource(
  network: EthereumNetwork,
  urls: readonly Secret<string>[],
  slot: bigint,
  pauseMs: number,
): EthereumSource {
  const open = () => openEndpoints(urls, rpc.identityOf(network), patientFetch);
  return { network, gateway: network.gateway, slot, pauseMs, endpoints: open(), logEndpoints: open() };
}

/**
 * Reads the number of the newest final block. Throws RpcFault if the node may be behind its chain, or is behind a block that was
 * final before.
 */
export async function readFinalBlock({ network: { final }, endpoints }: EthereumSource, atLeast = 0): Promise<number> {
  const tagged = 'tag' in final ? [rpc.block(final.tag)] : [];
  const [newest, block] = await endpoints.send([rpc.newestBlock, ...tagged]);
  const head = rpc.blockOf(newest);
  const age = Math.round(Date.now() / 1000 - Number(head.timestamp));
  if (isOld(Number(head.timestamp), Date.now())) throw new RpcFault(`the newest block is ${age} seconds old`);
  const number = 'depth' in final ? Math.max(0, Number(head.number) - final.depth) : rpc.numberOf(block);
  if (number === undefined) throw new RpcFault('the node does not know the newest final block');
  if (number < atLeast) throw new RpcFault(`the newest final block is ${number}, and was ${atLeast} before`);
  return number;
}

/** Returns a call of the contract at a block. */
export function callAt({ gateway }: EthereumSource, data: Hex, block: number): RpcCall {
  return rpc.call({ to: gateway, data }, rpc.hex(block));
}

/** Returns the data that the contract answered. Throws Failure if no contract exists, RpcFault if the call failed. */
export function dataOf({ network, gateway }: EthereumSource, answer: RpcAnswer | undefined): Hex {
  const data = resultOf<Hex>(answer);
  // A call to an address without code succeeds and returns no data.
  if (data === '0x') throw new Failure(`${network.network}: no contract exists at ${gateway}`);
  return data;
}

/** Decodes an answer. Throws RpcFault if the answer has another form. */
export function decode<T>(decoder: () => T): T {
  try {
    return decoder();
  } catch {
    throw new RpcFault("the contract's answer cannot be read");
  }
}
