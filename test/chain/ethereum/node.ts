import { env } from 'cloudflare:workers';
import { getAddress } from 'viem/utils';
import { inject } from 'vitest';
import { configOf } from '../../../src/config/config.ts';
import { type EnabledEthereum, enabledNetwork } from '../../../src/config/enabled.ts';
import type { Step } from '../../../src/pass/step.ts';

/** Speaks to the world's node of `sepolia` directly: what others do on the chain. */
export async function node<T = unknown>(method: string, ...params: unknown[]): Promise<T> {
  const response = await fetch(inject('world').rpc.sepolia as string, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** Mines so many blocks at once. */
export const mine = (blocks = 1) => node('anvil_mine', `0x${blocks.toString(16)}`);

/** Lets the gatekeeper's account, which the node holds too, call the contract behind the service's back. */
export async function byGatekeeper(data: string): Promise<void> {
  const { gatekeeper, gatewayToken } = inject('world');
  await node('eth_sendTransaction', { from: gatekeeper.ethereum, to: gatewayToken.sepolia, data, gas: '0x7a120' });
  await mine();
}

/** How many transactions of the gatekeeper are mined. */
export async function minedOfGatekeeper(): Promise<number> {
  return Number(await node<string>('eth_getTransactionCount', inject('world').gatekeeper.ethereum, 'latest'));
}

/** `sepolia` as the world's Worker has it. */
export function sepolia(): EnabledEthereum {
  const config = configOf(env);
  const row = config.networks.find(({ network }) => network === 'sepolia');
  const enabled = row && enabledNetwork(config, row);
  if (enabled?.chain !== 'ethereum') throw new Error('sepolia is not enabled');
  return enabled;
}

/** A wallet nobody has used. */
export function freshWallet(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  return getAddress(`0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`);
}

let steps = 0;

/** The issuance of a pass in acme's gatekeeper network, or what is asked for instead. */
export function aStep(
  overrides: Partial<Omit<Step, 'key'>> & { wallet?: string; gatekeeperNetwork?: string } = {},
): Step {
  const { wallet = freshWallet(), gatekeeperNetwork, ...step } = overrides;
  const [acme] = inject('world').partners;
  steps += 1;
  return {
    id: `${crypto.randomUUID()}:${steps}`,
    kind: 'issue',
    key: {
      gatekeeperNetwork: gatekeeperNetwork ?? (acme?.gatekeeperNetwork as string),
      chain: 'ethereum',
      network: 'sepolia',
      wallet,
    },
    ...step,
  };
}
