import { type Hex, toEventSelector } from 'viem';
import { getAddress } from 'viem/utils';
import type { BlockRange } from '../../src/chain/ethereum/log-range.ts';
import { type FoundLog, logsCall, logsOf } from '../../src/chain/ethereum/logs.ts';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { type JsonRpc, openEndpoints } from '../../src/chain/json-rpc.ts';
import type { EthereumNetwork } from '../../src/network/network.ts';
import type { NetworkNodes } from '../nodes/open-nodes.ts';
import { deploymentBlockOf } from '../tokens/deployment-blocks.ts';
import { PAUSE_MS, patientFetch } from '../tokens/retry.ts';
import { walkRanges } from '../tokens/walk-ranges.ts';

/** The accounts that the logs of a contract name. They may have lost their power since, so the contract must confirm it. */

const SUPER_ADMIN_ADDED = toEventSelector('SuperAdminAdded(address)');
const SUPER_ADMIN_REMOVED = toEventSelector('SuperAdminRemoved(address)');
/** Only the newer build emits it. */
const FORWARDER_ADDED = toEventSelector('ForwarderAdded(address)');
const ROLE_GRANTED = toEventSelector('RoleGranted(bytes32,uint256,address,address)');
const TOPICS: readonly string[] = [SUPER_ADMIN_ADDED, SUPER_ADMIN_REMOVED, FORWARDER_ADDED, ROLE_GRANTED];

/** Reads all logs since the deployment. Any endpoint may omit a log, so the accounts of all endpoints count. */
export async function readLoggedAccounts(
  { network, endpoints }: NetworkNodes & { readonly network: EthereumNetwork },
  slot: bigint,
): Promise<Hex[]> {
  const { send, alone } = openEndpoints(endpoints, rpc.identityOf(network), patientFetch);
  const to = rpc.countOf((await send([rpc.blockNumber]))[0]);
  const deployedAt = deploymentBlockOf(network.network, network.gateway) ?? 0;
  // A local chain is shorter than the real one.
  const range = { from: deployedAt > to ? 0 : deployedAt, to };
  const found = new Set<Hex>();
  const remedy = 'use another provider, or leave out --scan-logs';
  for await (const { value } of walkRanges(
    { network, pauseMs: PAUSE_MS },
    range,
    (part) => readAll(alone, network, part),
    remedy,
  ))
    for (const log of value) for (const account of accountsIn(log, slot)) found.add(account);
  return [...found];
}

async function readAll(
  alone: readonly { readonly send: JsonRpc }[],
  network: EthereumNetwork,
  range: BlockRange,
): Promise<readonly FoundLog[]> {
  const answers = await Promise.allSettled(alone.map(({ send }) => readLogs(send, network, range)));
  const logs = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const [failed] = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  if (logs.length === 0) throw failed;
  return logs.flat();
}

async function readLogs(
  send: JsonRpc,
  { gateway }: EthereumNetwork,
  { from, to }: BlockRange,
): Promise<readonly FoundLog[]> {
  const query = { addresses: [gateway], topics: [TOPICS], from, to };
  const [answer] = await send([logsCall(query)]);
  return logsOf(answer, query);
}

/** Returns the account of the log. A role counts only in the slot of the gatekeeper network. */
function accountsIn({ topics, data }: FoundLog, slot: bigint): Hex[] {
  const [event, first, second] = topics;
  if (event !== ROLE_GRANTED) return addressIn(first ?? data);
  return BigInt(data.slice(0, 66)) === slot ? addressIn(second ?? '0x') : [];
}

function addressIn(word: Hex): Hex[] {
  return /^0x0{24}[0-9a-f]{40}$/i.test(word) ? [getAddress(`0x${word.slice(26)}`)] : [];
}
