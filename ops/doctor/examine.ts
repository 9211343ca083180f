import { FIRST_SHARD } from '../../src/config/bindings.ts';
import { nowSeconds } from '../../src/lib/units.ts';
import { withTimeout } from '../../src/lib/with-timeout.ts';
import type { Deployment } from '../nodes/deployment.ts';
import { type ParsedConfigs, parseConfigs } from '../nodes/parse-configs.ts';
import { checkAdvice } from './advice.ts';
import { check, type Finding, skip } from './check.ts';
import { checkConfiguration, hasDatabases } from './configuration.ts';
import { checkDatabases, type Databases, type IssuanceDemand, openDatabases } from './databases.ts';
import { checkDeployedVersion } from './deployed-version.ts';
import { checkIssuers } from './issuer.ts';
import { checkKeys } from './keys.ts';
import { checkNetwork } from './network.ts';
import { checkNetworkStatus } from './network-status.ts';
import { checkReports } from './reports.ts';
import { checkService } from './service.ts';
import { checkUnreachedNetworks } from './unreached-networks.ts';
import { checkVerdictKeys } from './verdict-keys.ts';

/**
 * Runs all checks in parallel and returns their findings. It passes each finding to `tell` as early as a fixed order allows.
 * @param gatekeeperNetworks The ones to check; empty: the networks of the registered partners.
 */
export async function examine(
  deployment: Deployment,
  gatekeeperNetworks: readonly string[],
  tell: (finding: Finding) => void,
): Promise<Finding[]> {
  const known = parseConfigs(deployment);
  const databases = await openDatabases(deployment);
  try {
    const groups = [
      checkConfiguration(deployment),
      checkIssuerGroup(known),
      known.networks === undefined ? Promise.resolve([]) : checkKeys(known.networks),
      checkDatabaseGroup(deployment, databases),
      ...checkNetworkGroups(known, deployment, readDemands(deployment, databases, gatekeeperNetworks)),
      checkVerdictKeys(deployment, known.networks),
      checkAdvice(known.networks, deployment),
      checkVersionGroup(deployment),
      checkServiceGroup(known, deployment),
      deployment.url === undefined ? Promise.resolve([]) : checkReports(deployment),
    ];
    const all: Finding[] = [];
    for (const group of groups) {
      const findings = await group;
      findings.forEach(tell);
      all.push(...findings);
    }
    return all;
  } finally {
    await databases.close();
  }
}

const skipGroup = (name: string, why: string) => Promise.all([check(name, () => skip(why))]);

function checkIssuerGroup({ issuers }: ParsedConfigs): Promise<Finding[]> {
  return issuers ? checkIssuers(issuers) : skipGroup('issuer', 'the variables are invalid');
}

function checkDatabaseGroup(deployment: Deployment, databases: Databases): Promise<Finding[]> {
  return hasDatabases(deployment)
    ? checkDatabases(deployment, databases)
    : skipGroup('migrations', 'the database does not exist yet');
}

/** Wrangler starts slowly and may call Cloudflare. */
const DATABASE_TIMEOUT_MS = 60_000;

async function readDemands(
  deployment: Deployment,
  databases: Databases,
  named: readonly string[],
): Promise<readonly IssuanceDemand[] | undefined> {
  // If the database cannot be read, the check of its migrations reports why.
  const read = hasDatabases(deployment) ? databases.read(FIRST_SHARD).catch(() => undefined) : undefined;
  const content = await withTimeout(DATABASE_TIMEOUT_MS, Promise.resolve(read), undefined);
  if (named.length === 0) return content?.demands;
  return named.map((key) => ({ gatekeeperNetwork: key, contracts: content?.gatekeeperNetworks?.get(key) }));
}

function checkNetworkGroups(
  { networks: config }: ParsedConfigs,
  { secrets, environment }: Deployment,
  demands: Promise<readonly IssuanceDemand[] | undefined>,
): Promise<Finding[]>[] {
  if (config === undefined) {
    return [skipGroup('networks', secrets ? 'variables or secrets are invalid' : 'the secrets are unknown')];
  }
  const withEndpoints = config.networks.filter(({ network }) => config.rpc[network]?.length);
  if (withEndpoints.length === 0) return [skipGroup('networks', 'no network has an endpoint')];
  return [
    ...withEndpoints.map((network) => checkNetwork(config, network, demands, environment)),
    checkNetworkStatus(withEndpoints, nowSeconds()),
    checkUnreachedNetworks(config, demands),
  ];
}

/** Before the databases exist, nothing can be deployed. */
function checkVersionGroup(deployment: Deployment): Promise<Finding[]> {
  const { environment } = deployment;
  if (environment === undefined || !hasDatabases(deployment)) return Promise.resolve([]);
  return checkDeployedVersion(environment);
}

function checkServiceGroup({ issuers }: ParsedConfigs, { url, environment }: Deployment): Promise<Finding[]> {
  if (url === undefined) return skipGroup('service', 'pass its URL with --url URL');
  return checkService(url, issuers, environment === undefined);
}
