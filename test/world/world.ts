import { setTimeout as sleep } from 'node:timers/promises';
import { GATEKEEPER } from './gateway-contract.ts';
import { NODES } from './nodes.ts';
import { startOAuthServer } from './oauth-server.ts';
import { AUDIENCE, PARTNERS } from './partners.ts';
import { portsFor } from './ports.ts';
import type { WorldFacts } from './world-facts.ts';

/** Ctrl-C reaches the nodes too, and may do so first: time for `stop` to be called. */
const GRACE_MS = 200;

export interface World {
  readonly facts: WorldFacts;
  stop(): Promise<void>;
}

/**
 * Starts what lies outside the Worker: the partners' authorization server and a node for each network.
 * @param state Folder that keeps the chains, the signing key and the ports for the next start.
 * @param onNodeEnd Told when a node ends that nobody stopped.
 */
export async function startWorld(
  options: { state?: string | undefined; onNodeEnd?: (network: string) => void } = {},
): Promise<World> {
  const { state, onNodeEnd } = options;
  const ports = await portsFor(['oauth', ...NODES.map(({ network }) => network)], state);
  const [oauth, ...nodes] = await Promise.all([
    startOAuthServer({ port: ports.oauth, state }),
    ...NODES.map(({ network, start }) => start({ network, port: ports[network] as number, state })),
  ]);

  let stopping = false;
  for (const { network, ended } of nodes) {
    ended.then(() => sleep(GRACE_MS)).then(() => stopping || onNodeEnd?.(network));
  }
  return {
    facts: {
      issuer: oauth.issuer,
      tokenUrl: oauth.tokenUrl,
      jwksUrl: oauth.jwksUrl,
      audience: AUDIENCE,
      partners: PARTNERS,
      rpc: Object.fromEntries(nodes.map(({ network, rpcUrl }) => [network, rpcUrl])),
      gatewayToken: Object.fromEntries(NODES.map(({ network, gatewayToken }) => [network, gatewayToken])),
      gatekeeper: GATEKEEPER,
      pids: { oauth: process.pid, ...Object.fromEntries(nodes.map(({ network, pid }) => [network, pid])) },
    },
    async stop() {
      stopping = true;
      await Promise.all([oauth.stop(), ...nodes.map((node) => node.stop())]);
    },
  };
}
