import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { slotOf } from '../../src/network/slot.ts';
import { type Child, startChild } from '../../terminal/child-process.ts';
import { Failure } from '../../terminal/failure.ts';
import { PROJECT } from '../../terminal/wrangler.ts';
import { unpackPackage } from '../packages/unpack.ts';
import type { LocalnetFacts } from './state/localnet-facts.ts';

const SOURCE = join(PROJECT, 'examples', 'dapp');
/** Git ignores this folder, and modules in it find the packages of the project. */
const COPIES = join(PROJECT, '.dev');
/** Our packages that the dApp uses. It gets them as they are packed, because the checkout has no built ones. */
const PACKAGES = ['client', 'react'] as const;
const STARTED = /^The dApp runs at (\S+)$/;

/** A copy of the example dApp with its built page, as a developer makes one. */
export interface BuiltDapp {
  readonly folder: string;
  remove(): void;
}

/** Copies the example dApp, installs our packages in the copy, and builds its page. Several runs do not disturb each other. */
export async function buildDapp(): Promise<BuiltDapp> {
  mkdirSync(COPIES, { recursive: true });
  const folder = mkdtempSync(join(COPIES, 'dapp-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const isSource = (path: string) => !['node_modules', 'dist'].includes(basename(path));
  cpSync(SOURCE, folder, { recursive: true, filter: isSource });
  for (const name of PACKAGES) unpackPackage(`@gatepass/${name}`, join(folder, 'node_modules', '@gatepass', name));
  const build = await startChild('npm', ['run', 'build'], { cwd: folder, env: { NODE_ENV: 'production' } });
  if ((await build.ended) === 0) return { folder, remove };
  remove();
  throw new Failure(`the page of the dApp cannot be built: ${build.lastLines.join('\n')}`);
}

/** The example dApp, which runs beside a service on the localnet. */
export interface Dapp {
  readonly url: string;
  readonly child: Child;
}

/**
 * Starts the back end of the example dApp for the first partner of the localnet. It serves the built page.
 * @param variables Further variables of its README.
 */
export async function startDapp(
  { folder }: BuiltDapp,
  { baseUrl, tokenUrl, partners: [partner], rpc, gatewayToken }: LocalnetFacts,
  variables: Readonly<Record<string, string>> = {},
): Promise<Dapp> {
  if (baseUrl === undefined || partner === undefined || Object.keys(rpc).length === 0)
    throw new Failure('the dApp needs a service with chains: start `npm run dev`, without --sandbox');
  const nodes = Object.entries(rpc).map(([network, url]) => `${network}=${url}`);
  let report: (url: string) => void = () => undefined;
  const listening = new Promise<string>((resolve) => {
    report = resolve;
  });
  const child = await startChild(process.execPath, [join(folder, 'server', 'main.ts')], {
    cwd: folder,
    env: {
      GATEPASS_URL: baseUrl,
      GATEPASS_TOKEN_URL: tokenUrl,
      GATEPASS_CLIENT_ID: partner.clientId,
      GATEPASS_CLIENT_SECRET: partner.clientSecret,
      GATEKEEPER_NETWORK: partner.gatekeeperNetwork,
      GATEKEEPER_SLOT: String(slotOf(partner.gatekeeperNetwork)),
      GATEWAY_CONTRACT: gatewayToken.sepolia ?? '',
      NETWORKS: nodes.join(','),
      TEST_WALLETS: '1',
      ...variables,
    },
    onLine(line) {
      const [, url] = STARTED.exec(line) ?? [];
      if (url !== undefined) report(url);
    },
  });
  const url = await Promise.race([listening, child.ended.then(() => undefined)]);
  if (url === undefined) throw new Failure(child.lastLines.join('\n'));
  return { url, child };
}
