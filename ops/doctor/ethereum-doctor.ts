import type { Hex } from 'viem';
import { readTokenIds, tokenIdsData } from '../../src/chain/ethereum/gateway.ts';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { jsonRpc } from '../../src/chain/json-rpc.ts';
import { type RpcAnswer, resultOf } from '../../src/chain/rpc-answer.ts';
import type { Config } from '../../src/config/config.ts';
import type { EnabledNetwork } from '../../src/config/signers.ts';
import { contractOf, type EthereumNetwork } from '../../src/network/network.ts';
import { slotOf } from '../../src/network/slot.ts';
import { unusedWallet } from '../../src/network/wallet.ts';
import { formatWei } from '../amounts.ts';
import { creationOf, openEthereumGateway } from '../network/ethereum-gateway.ts';
import type { ChainDoctor } from './chain-doctor.ts';
import { fail, ok, type Verdict } from './check.ts';
import type { Endpoint } from './endpoint.ts';
import { checkGas, ethereumFacts } from './ethereum-facts.ts';

export function createEthereumDoctor(network: EthereumNetwork, { rpc: endpoints, slots }: Config): ChainDoctor {
  const identity = rpc.identityOf(network);
  const urls = endpoints[network.network] ?? [];
  const send = jsonRpc(urls, identity);
  return {
    identity,
    probeEndpoint: (endpoint) => probeEndpoint(network, endpoint),
    checkGateway: async (contract) =>
      gatewayVerdict(network, contract, (await send([tokenIdsCall(contract, 'latest')]))[0]),
    facts: ethereumFacts(network, send),
    checkGas: ({ gatekeeper }, call) => checkGas(network, send, gatekeeper.address, call),
    // The simulated issuance shows it, with the contract's reason.
    readRegistrations: async (_, gatekeeperNetworks) => gatekeeperNetworks.map(() => undefined),
    async exists({ gatekeeperNetwork, contract }) {
      const slot = slotOf(gatekeeperNetwork, slots);
      if (slot === undefined) return false;
      const { gateway } = openEthereumGateway(
        { network: { ...network, gateway: contract as Hex }, endpoints: urls, gatekeepers: [] },
        slot,
      );
      return (await gateway.read({ authorities: [], gatekeepers: [] })).exists;
    },
    checkAccount: async (signer) => accountVerdict(signer, (await send([rpc.code(signer.gatekeeper.address)]))[0]),
    readFunds: async ({ gatekeeper }) => rpc.quantityOf((await send([rpc.balance(gatekeeper.address)]))[0]),
    formatAmount: formatWei,
  };
}

/** Returns the call that reads the tokens of a wallet, as the Worker makes it. */
function tokenIdsCall(contract: string, at: rpc.BlockTag) {
  return rpc.call({ to: contract as Hex, data: tokenIdsData(unusedWallet('ethereum'), 1n) }, at);
}

async function probeEndpoint(network: EthereumNetwork, { ask }: Endpoint): Promise<{ newest: number } | Verdict> {
  const tag = 'tag' in network.final ? network.final.tag : 'latest';
  const [newest, final] = await ask([rpc.newestBlock, rpc.block(tag)]);
  const head = rpc.blockOf(newest);
  const block = rpc.numberOf(final);
  const { network: name } = network;
  if (block === undefined) {
    return fail(
      `it does not know the block "${tag}"`,
      `use another endpoint, or configure the depth of a final block: NETWORKS = {"${name}": {"final": {"depth": 64}}}`,
    );
  }
  const depth = 'depth' in network.final ? network.final.depth : 0;
  const at = rpc.hex(Math.max(0, block - depth));
  const [answer] = await ask([tokenIdsCall(contractOf({}, network), at)]);
  // A revert of the contract is a valid answer too.
  if (answer && 'error' in answer && rpc.revertData(answer) === undefined) {
    return fail(
      `it does not run eth_call at the final block (${answer.error.message})`,
      'use an endpoint that has the state of that block',
    );
  }
  return { newest: Number(head.timestamp) };
}

/** The code of an account that is delegated to another address (EIP-7702). */
const DELEGATION = /^0xef0100([0-9a-f]{40})$/i;

function accountVerdict({ gatekeeper: { address } }: EnabledNetwork, answer: RpcAnswer | undefined): Verdict {
  const code = resultOf<string>(answer);
  const [, target] = DELEGATION.exec(code) ?? [];
  if (target !== undefined) {
    return fail(
      `its account is delegated to 0x${target} (EIP-7702): nodes accept one transaction of such an account at a time`,
      `use a key whose account has no code, or end the delegation: ${address} authorizes the zero address`,
    );
  }
  return code === '0x' ? ok('it has no code') : fail('its account has code', 'use a key whose account has no code');
}

function gatewayVerdict({ network }: EthereumNetwork, contract: string, answer: RpcAnswer | undefined): Verdict {
  const remedy = `set the address: NETWORKS = {"${network}": {"gateway": "0x…"}}`;
  if (answer && 'error' in answer) return fail(`${contract} does not answer as GatewayToken`, remedy);
  const data = resultOf<`0x${string}`>(answer);
  if (data === '0x') return fail(`no contract exists at ${contract}`, creationOf(contract) ?? remedy);
  try {
    readTokenIds(data);
  } catch {
    return fail(`${contract} does not answer as GatewayToken`, remedy);
  }
  return ok(`GatewayToken answers at ${contract}`);
}
