import type { JsonWebKey } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BuildName } from '../../ops/network/gateway-build.ts';
import { GATEKEEPERS } from './ethereum/gatekeepers.ts';
import { KMS_GATEKEEPERS } from './kms/gatekeepers.ts';
import { type KmsServer, startKms } from './kms/server.ts';
import { NODES } from './nodes.ts';
import { ADMIN_AUDIENCE, AUDIENCE, OPERATOR, PARTNERS, SANDBOX_PARTNER } from './oauth/partners.ts';
import { startOAuthServer } from './oauth/server.ts';
import { SOLANA_GATEKEEPERS } from './solana/gatekeepers.ts';
import { findSolanaProgram } from './solana/program-file.ts';
import type { LocalnetFacts } from './state/localnet-facts.ts';
import type { Hardfork } from './state/node.ts';
import { portsFor } from './state/ports.ts';
import { lockStateFolder } from './state/state-lock.ts';

/** Ctrl-C also reaches the nodes, possibly before `stop` is called. This time lets `stop` come first. */
const STOP_GRACE_MS = 200;

export interface LocalnetOptions {
  /** Folder that keeps the chains, the signing key and the ports for the next start. */
  readonly state?: string | undefined;
  /** File with the gateway program of Solana. Default: the one that `SOLANA_GATEWAY_PROGRAM` names, else the emulation. */
  readonly solanaProgram?: string | undefined;
  /** The hardfork of the Ethereum nodes, which are hardhat's then; undefined: the one of anvil. */
  readonly hardfork?: Hardfork | undefined;
  /** The contract of Ethereum-type networks; undefined: the protocol's. */
  readonly contract?: BuildName | undefined;
  /** Whether it has no nodes, because only the partner in the sandbox uses it. */
  readonly sandbox?: boolean | undefined;
  /** Whether the Worker's keys are in a key management service. */
  readonly kms?: boolean | undefined;
  /** Called when a node ends by itself. */
  readonly onNodeEnd?: (network: string) => void;
}

export interface Localnet {
  readonly facts: LocalnetFacts;
  /** The signing key of the authorization server. */
  readonly signingKey: JsonWebKey;
  readonly kms: KmsServer | undefined;
  stop(): Promise<void>;
}

/** Starts the systems outside the Worker: the partners' authorization server and a node for each network. */
export async function startLocalnet({
  state,
  onNodeEnd,
  kms: hasKms,
  sandbox,
  hardfork,
  contract,
  ...options
}: LocalnetOptions = {}): Promise<Localnet> {
  const started = sandbox ? [] : NODES;
  const solanaProgram = findSolanaProgram(options.solanaProgram);
  const unlock = state === undefined ? undefined : await lockStateFolder(state);
  const ports = await portsFor(['oauth', 'kms', ...NODES.map(({ network }) => network)], state);
  const [oauth, kms, ...nodes] = await Promise.all([
    startOAuthServer({ port: ports.oauth, state, sandbox }),
    hasKms ? startKms({ port: ports.kms, state }) : undefined,
    ...started.map(({ network, start }) =>
      start({ network, port: ports[network] as number, state, solanaProgram, hardfork, contract }),
    ),
  ]);

  let stopping = false;
  for (const { network, ended } of nodes) {
    ended.then(() => sleep(STOP_GRACE_MS)).then(() => stopping || onNodeEnd?.(network));
  }
  return {
    facts: {
      issuer: oauth.issuer,
      tokenUrl: oauth.tokenUrl,
      jwksUrl: oauth.jwksUrl,
      audience: AUDIENCE,
      partners: sandbox ? [SANDBOX_PARTNER] : PARTNERS,
      operator: { ...OPERATOR, audience: ADMIN_AUDIENCE },
      rpc: Object.fromEntries(nodes.map(({ network, rpcUrl }) => [network, rpcUrl])),
      gatewayToken: Object.fromEntries(started.map(({ network, gatewayToken }) => [network, gatewayToken(contract)])),
      gatekeeper: kms
        ? { ethereum: KMS_GATEKEEPERS.ethereum.aws, solana: KMS_GATEKEEPERS.solana.gcp }
        : { ethereum: GATEKEEPERS[0], solana: SOLANA_GATEKEEPERS[0] },
      ...(kms && { kms: { url: kms.url, credentials: kms.credentials } }),
      pids: { oauth: process.pid, ...Object.fromEntries(nodes.map(({ network, pid }) => [network, pid])) },
    },
    signingKey: oauth.signingKey,
    kms,
    async stop() {
      stopping = true;
      kms?.stop();
      await Promise.all([oauth.stop(), ...nodes.map((node) => node.stop())]);
      unlock?.();
    },
  };
}
