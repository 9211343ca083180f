import { type Hex, toEventSelector } from 'viem';
import { getAddress, numberToHex } from 'viem/utils';
import { type BlockRange, type FoundLog, logsCall, logsOf } from '../../src/chain/ethereum/logs.ts';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { type JsonRpc, openEndpoints } from '../../src/chain/json-rpc.ts';
import type { EthereumNetwork } from '../../src/network/network.ts';
import type { NetworkNodes } from '../nodes/open-nodes.ts';
import { deploymentBlockOf } from '../tokens/deployment-blocks.ts';
import { SLOT_CHANGED } from '../tokens/ethereum-abi.ts';
import { PAUSE_MS, patientFetch } from '../tokens/retry.ts';
import { walkRanges } from '../tokens/walk-ranges.ts';
import { type Issuer, readIssuers } from './issuers.ts';

/** The accounts that the logs of a contract name, and who issued tokens. The accounts may have lost their power since, so the contract must confirm it. */

const SUPER_ADMIN_ADDED = toEventSelector('SuperAdminAdded(address)');
const SUPER_ADMIN_REMOVED = toEventSelector('SuperAdminRemoved(address)');
/** Only the newer build emits it. */
const FORWARDER_ADDED = toEventSelector('ForwarderAdded(address)');
const ROLE_GRANTED = toEventSelector('RoleGranted(bytes32,uint256,address,address)');
const TOPICS: readonly string[] = [SUPER_ADMIN_ADDED, SUPER_ADMIN_REMOVED, FORWARDER_ADDED, ROLE_GRANTED];

export interface Logged {
  /** The accounts that had a power. */
  readonly accounts: readonly Hex[];
  readonly issuers: readonly Issuer[];
}

/** Reads all logs since the deployment. Any endpoint may omit a log, so the logs of all endpoints count. */
export async function readLogged(
  { network, endpoints }: NetworkNodes & { readonly network: EthereumNetwork },
  slot: bigint,
): Promise<Logged> {
  const { send, alone } = openEndpoints(endpoints, rpc.identityOf(network), patientFetch);
  const to = rpc.countOf((await send([rpc.blockNumber]))[0]);
  const deployedAt = deploymentBlockOf(network.network, network.gateway) ?? 0;
  // A local chain is shorter than the real one.
  const range = { from: deployedAt > to ? 0 : deployedAt, to };
  const accounts = new Set<Hex>();
  const mints: FoundLog[] = [];
  const remedy = 'use another provider, or leave out --scan-logs';
  const source = { network, pauseMs: PAUSE_MS };
  for await (const { value } of walkRanges(source, range, (part) => readAll(alone, network, slot, part), remedy)) {
    for (const log of value.powers) for (const account of accountsIn(log, slot)) accounts.add(account);
    mints.push(...value.mints);
  }
  return { accounts: [...accounts], issuers: await readIssuers(send, network.gateway, mints) };
}

interface FoundLogs {
  readonly powers: readonly FoundLog[];
  readonly mints: readonly FoundLog[];
}

async function readAll(
  alone: readonly { readonly send: JsonRpc }[],
  network: EthereumNetwork,
  slot: bigint,
  range: BlockRange,
): Promise<FoundLogs> {
  const answers = await Promise.allSettled(alone.map(({ send }) => readLogs(send, network, slot, range)));
  const logs = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const [failed] = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  if (logs.length === 0) throw failed;
  return { powers: logs.flatMap(({ powers }) => powers), mints: logs.flatMap(({ mints }) => mints) };
}

async function readLogs(
  send: JsonRpc,
  { gateway }: EthereumNetwork,
  slot: bigint,
  range: BlockRange,
): Promise<FoundLogs> {
  const words = [0n, slot].map((number) => numberToHex(number, { size: 32 }));
  const powers = { addresses: [gateway], topics: [TOPICS], ...range };
  const mints = { addresses: [gateway], topics: [SLOT_CHANGED, null, ...words], ...range };
  const [first, second] = await send([logsCall(powers), logsCall(mints)]);
  return { powers: logsOf(first, powers), mints: logsOf(second, mints) };
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
