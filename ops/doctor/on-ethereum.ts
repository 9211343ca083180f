import { randomBytes } from 'node:crypto';
import { formatEther, getAddress } from 'viem/utils';
import * as rpc from '../../src/chain/ethereum/calls.ts';
import { readTokenIds, tokenIdsData } from '../../src/chain/ethereum/gateway.ts';
import type { EthereumCall } from '../../src/chain/ethereum/sign.ts';
import { jsonRpc, type RpcAnswer, resultOf } from '../../src/chain/json-rpc.ts';
import type { Config } from '../../src/config/config.ts';
import type { EthereumNetwork } from '../../src/network/networks.ts';
import { slotOf } from '../../src/network/slot.ts';
import { shortened } from './amount.ts';
import type { ChainDoctor } from './chain.ts';
import { ok, type Verdict, wrong } from './check.ts';
import type { Endpoint } from './endpoint.ts';
import { OP_STACK } from './op-stack.ts';

export function onEthereum(network: EthereumNetwork, { rpc: endpoints, slots }: Config): ChainDoctor {
  const identity = rpc.identityOf(network);
  const urls = endpoints[network.network] ?? [];
  const send = jsonRpc(urls, identity);
  return {
    identity,
    probe: (endpoint) => probe(network, endpoint),
    gateway: async () => gatewayVerdict(network, (await send([tokenIds(network, 'latest')]))[0]),
    // The contract answers it to a trial, and tells more.
    registered: async (_, gatekeeperNetworks) => gatekeeperNetworks.map(() => undefined),
    registration({ gatekeeper }, gatekeeperNetwork) {
      const slot = slotOf(gatekeeperNetwork, slots);
      return `an authority of the gatekeeper network calls addGatekeeper(${gatekeeper.address}, ${slot}) of ${network.gateway}`;
    },
    funds: async ({ gatekeeper }) => rpc.quantityOf((await send([rpc.balance(gatekeeper.address)]))[0]),
    cost: async ({ call }, { fees }) => (call as EthereumCall).gas * BigInt(fees.fee ?? 0),
    besides: OP_STACK.has(network.network) ? 'the L1 data fee' : undefined,
    amount: (wei) => `${shortened(formatEther(wei))} coins`,
    wallet,
  };
}

const wallet = () => getAddress(`0x${randomBytes(20).toString('hex')}`);

/** As a look asks for the tokens of a wallet. */
function tokenIds({ gateway }: EthereumNetwork, at: rpc.BlockTag) {
  return rpc.call({ ...(gateway && { to: gateway }), data: tokenIdsData(wallet(), 1n) }, at);
}

async function probe(network: EthereumNetwork, { ask }: Endpoint): Promise<{ newest: number } | Verdict> {
  const tag = 'tag' in network.final ? network.final.tag : 'latest';
  const [newest, final] = await ask([rpc.newestBlock, rpc.block(tag)]);
  const head = rpc.blockOf(newest);
  const block = rpc.numberOf(final);
  const { network: name } = network;
  if (block === undefined) {
    return wrong(
      `it does not know the block "${tag}"`,
      `name another endpoint, or say how deep is final: NETWORKS = {"${name}": {"final": {"depth": 64}}}`,
    );
  }
  const depth = 'depth' in network.final ? network.final.depth : 0;
  const at = rpc.hex(Math.max(0, block - depth));
  const [answer] = await ask([tokenIds(network, at)]);
  // The contract's own word is an answer too.
  if (answer && 'error' in answer && rpc.revertData(answer) === undefined) {
    return wrong(
      `it does not run eth_call at the final block (${answer.error.message})`,
      'name another endpoint: one that has the state of that block',
    );
  }
  return { newest: Number(head.timestamp) };
}

function gatewayVerdict({ network, gateway }: EthereumNetwork, answer: RpcAnswer | undefined): Verdict {
  const remedy = `set the address: NETWORKS = {"${network}": {"gateway": "0x…"}}`;
  if (gateway === undefined) return wrong(`no record tells where GatewayToken is on ${network}`, remedy);
  if (answer && 'error' in answer) return wrong(`${gateway} does not answer as GatewayToken`, remedy);
  const data = resultOf<`0x${string}`>(answer);
  if (data === '0x') return wrong(`there is no contract at ${gateway}`, remedy);
  try {
    readTokenIds(data);
  } catch {
    return wrong(`${gateway} does not answer as GatewayToken`, remedy);
  }
  return ok(`GatewayToken answers at ${gateway}`);
}
