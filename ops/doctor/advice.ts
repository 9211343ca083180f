import type { Config } from '../../src/config/config.ts';
import { signersOn } from '../../src/config/signers.ts';
import { wranglerConfigOf } from '../deploy/deployment-config.ts';
import type { Deployment } from '../nodes/deployment.ts';
import { check, type Finding, notice, ok } from './check.ts';

/** Settings that work, and that an operator may regret. They never fail the doctor, because they may be intended. */
export function checkAdvice(
  config: Config | undefined,
  { environment }: Pick<Deployment, 'environment'>,
): Promise<Finding[]> {
  // A localnet has one node per network, and published keys.
  if (environment === undefined) return Promise.resolve([]);
  const enabled = config?.networks.filter(({ network }) => config.rpc[network]?.length) ?? [];
  return Promise.all([
    ...enabled.map(({ network }) =>
      check(`${network}, providers`, () =>
        providersVerdict((config?.rpc[network] ?? []).map((url) => new URL(url()).hostname)),
      ),
    ),
    ...(config === undefined ? [] : [check('keys', () => keysVerdict(config))]),
    check('log destinations', () => logsVerdict(environment)),
  ]);
}

/** Judges the hosts of the endpoints of a network. */
export function providersVerdict(hosts: readonly string[]) {
  if (hosts.length === 1)
    return notice(
      'only one endpoint: the network stops with it -> add an endpoint of another provider to RPC_ENDPOINTS',
    );
  const domains = hosts.map(registrableDomainOf);
  const twice = domains.find((domain, index) => domains.indexOf(domain) !== index);
  if (twice !== undefined)
    return notice(
      `several endpoints at ${twice}: they may fail or lie together -> use different providers in RPC_ENDPOINTS`,
    );
  return ok(`${hosts.length} endpoints of different providers`);
}

/** Second labels under which a country's registry sells names, as in co.uk. */
const SOLD_LABELS = ['ac', 'co', 'com', 'gov', 'net', 'or', 'org'];

/** Returns the domain that somebody registered: two labels, or three under a label such as co.uk. An address is its own domain. */
export function registrableDomainOf(host: string): string {
  if (/^[\d.]+$|^\[/.test(host)) return host;
  const labels = host.replace(/\.$/, '').split('.');
  const [second = '', top = ''] = labels.slice(-2);
  return labels.slice(top.length === 2 && SOLD_LABELS.includes(second) ? -3 : -2).join('.');
}

/** Names the keys that are secrets and sign on a mainnet. */
export function keysVerdict(config: Config) {
  const mainnets = config.networks.filter(({ testnet }) => !testnet);
  const signers = mainnets.flatMap((network) => signersOn(config, network));
  const bare = signers.filter(({ gatekeeper }) => gatekeeper.kms === undefined && !gatekeeper.retired);
  const addresses = [...new Set(bare.map(({ gatekeeper }) => gatekeeper.address))];
  if (addresses.length === 0) return ok('no key without a KMS signs on a mainnet');
  return notice(
    `${addresses.join(', ')} signs on a mainnet without a KMS: a reader of the secret has the key -> keep it in a KMS (docs/operators/keys-and-databases.md)`,
  );
}

function logsVerdict(deployment: string) {
  const { destinations = [] } = wranglerConfigOf(deployment).observability?.logs ?? {};
  if (destinations.length > 0) return ok(destinations.join(', '));
  return notice(
    'none: no alert can fire on a log line -> create a destination, and name it in [observability.logs] (docs/operators/log-events.md)',
  );
}
