import { measureBlockMs } from '../../src/chain/block-age.ts';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { addGasMargin } from '../../src/chain/ethereum/transaction.ts';
import type { JsonRpc } from '../../src/chain/json-rpc.ts';
import { resultOf } from '../../src/chain/rpc-answer.ts';
import { type EthereumNetwork, usualFinalityMs } from '../../src/network/network.ts';
import { DEPLOYER_CODE } from '../network/deterministic-deployer.ts';
import { DETERMINISTIC_DEPLOYER } from '../network/gateway-build.ts';
import { fail, notice, ok, skip, type Verdict } from './check.ts';

/** Compares the data of a network with its chain. */

/** The time between blocks is measured over the last ones. */
const MEASURED_BLOCKS = 64;
/** A chain that is twice as fast or as slow as its data deserves a line. */
const DIFFERENCE_TIMES = 2;

/** Returns the checks of a network by the name of the fact. */
export const ethereumFacts = (network: EthereumNetwork, send: JsonRpc) => ({
  'block time': () => checkBlockTime(network, send),
  finality: () => checkFinality(network, send),
  factory: () => checkFactory(send),
});

async function checkBlockTime({ network, blockMs }: EthereumNetwork, send: JsonRpc): Promise<Verdict> {
  const [latest] = await send([rpc.newestBlock]);
  const newest = rpc.newestOf(rpc.blockOf(latest));
  const [before] = await send([rpc.block(rpc.hex(Math.max(0, newest.height - MEASURED_BLOCKS)))]);
  const block = rpc.findBlock(before);
  const earlier = block && rpc.newestOf(block);
  if (earlier === undefined) return skip('the endpoint does not have the blocks before the newest');
  if (newest.height - earlier.height < MEASURED_BLOCKS) return ok(`the chain has only ${newest.height} blocks yet`);
  if (newest.time <= earlier.time)
    return notice(`the last ${MEASURED_BLOCKS} blocks have the same time -> compare the endpoints`);
  const measured = Math.round(measureBlockMs(earlier, newest, blockMs));
  const shown = `a block each ${measured} ms in the last ${MEASURED_BLOCKS}, and ${blockMs} ms in the data of the network`;
  const isUsual = measured <= blockMs * DIFFERENCE_TIMES && measured * DIFFERENCE_TIMES >= blockMs;
  if (isUsual) return ok(shown);
  return notice(`${shown} -> if that lasts, set it: NETWORKS = {"${network}": {"blockMs": ${measured}}}`);
}

/** The final block may be twice as far behind as usual, and as much as a minute on a fast chain. */
const FINALITY_SLACK_MS = 60_000;

async function checkFinality(network: EthereumNetwork, send: JsonRpc): Promise<Verdict> {
  const { final } = network;
  const [latest, tagged] = await send([rpc.newestBlock, rpc.block('tag' in final ? final.tag : 'latest')]);
  const newest = rpc.newestOf(rpc.blockOf(latest));
  const height = 'tag' in final ? rpc.finalNumberOf(tagged) : Math.max(0, newest.height - final.depth);
  if (height === undefined)
    return fail(
      'the chain shows no final block: changes of passes wait',
      `compare the endpoints, or configure a depth: NETWORKS = {"${network.network}": {"final": {"depth": 64}}}`,
    );
  const [answer] = await send([rpc.block(rpc.hex(height))]);
  const block = rpc.findBlock(answer);
  if (block === undefined) return skip('the endpoint does not have the final block');
  const behindMs = Math.max(0, newest.time - Number(block.timestamp)) * 1000;
  const shown = `the final block is ${newest.height - height} blocks and ${Math.round(behindMs / 1000)} s behind the newest`;
  if (behindMs <= DIFFERENCE_TIMES * usualFinalityMs(network) + FINALITY_SLACK_MS) return ok(shown);
  const usual = Math.round(usualFinalityMs(network) / 1000);
  return notice(
    `${shown}, usually ${usual} s: changes of new passes wait for that -> compare the endpoints, and ask a provider`,
  );
}

async function checkFactory(send: JsonRpc): Promise<Verdict> {
  const [answer] = await send([rpc.code(DETERMINISTIC_DEPLOYER)]);
  const code = resultOf<string>(answer).toLowerCase();
  if (code === DEPLOYER_CODE) return ok('the deterministic deployer has its known code');
  if (code === '0x')
    return notice(
      'no deterministic deployer exists there -> `npm run network -- deploy` needs --bring-deployer or --factory',
    );
  return fail(
    'the deterministic deployer has other code',
    'deploy no contract there with it: name another factory with --factory ADDRESS',
  );
}

/** A fork may multiply the gas of an issuance by this number before the signing policy refuses it. */
const ROOM_TIMES = 2n;

/** Checks whether the gas of an issuance leaves room below `maxGas`. */
export async function checkGas(
  { network, maxGas }: EthereumNetwork,
  send: JsonRpc,
  from: string,
  { contract, data }: { readonly contract: string; readonly data: string },
): Promise<Verdict> {
  const [answer] = await send([rpc.estimateGas({ from, to: contract, data })]);
  const limit = addGasMargin(rpc.quantityOf(answer));
  const shown = `an issuance gets a limit of ${limit} gas, and maxGas is ${maxGas}`;
  const raise = `raise it: NETWORKS = {"${network}": {"maxGas": ${limit * 4n}}}`;
  if (limit > BigInt(maxGas)) return fail(`${shown}: the service signs none`, raise);
  return limit * ROOM_TIMES > BigInt(maxGas) ? notice(`${shown} -> ${raise}`) : ok(shown);
}
