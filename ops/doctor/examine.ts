import { FIRST_SHARD } from '../../src/config/shard-name.ts';
import { withTimeout } from '../../src/lib/with-timeout.ts';
import { check, type Finding, skip } from './check.ts';
import { checkConfiguration, hasDatabases, type ParsedConfigs, parseConfigs } from './configuration.ts';
import { checkDatabases, type Databases, type IssuanceDemand, openDatabases } from './databases.ts';
import type { Deployment } from './deployment.ts';
import { checkIssuers } from './issuer.ts';
import { checkNetwork } from './network.ts';
import { checkService } from './service.ts';
import { checkSpending } from './spending.ts';
import { checkUnreachedNetworks } from './unreached-networks.ts';

/**
 * Makes all checks at once, and hands on what they find in an order that is always the same, as soon as it is there.
 * @param gatekeeperNetworks Which ones are to issue; none: those of the partners.
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
      checkDatabaseGroup(deployment, databases),
      ...checkNetworkGroups(known, deployment, readDemands(deployment, databases, gatekeeperNetworks)),
      checkServiceGroup(known, deployment),
      deployment.url === undefined ? Promise.resolve([]) : checkSpending(deployment.url, deployment.operator),
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
  return issuers ? checkIssuers(issuers) : skipGroup('issuer', 'the variables are wrong');
}

function checkDatabaseGroup(deployment: Deployment, databases: Databases): Promise<Finding[]> {
  return hasDatabases(deployment)
    ? checkDatabases(deployment, databases)
    : skipGroup('migrations', 'there is no database yet');
}

/** Wrangler starts slowly, and may ask over the net. */
const DATABASE_TIMEOUT_MS = 60_000;

async function readDemands(
  deployment: Deployment,
  databases: Databases,
  named: readonly string[],
): Promise<readonly IssuanceDemand[] | undefined> {
  if (named.length > 0) return named.map((gatekeeperNetwork) => ({ gatekeeperNetwork }));
  if (!hasDatabases(deployment)) return undefined;
  // The check of the migrations says why a database cannot be read.
  const content = databases.read(FIRST_SHARD).catch(() => undefined);
  return (await withTimeout(DATABASE_TIMEOUT_MS, content, undefined))?.demands;
}

function checkNetworkGroups(
  { networks: config }: ParsedConfigs,
  { secrets }: Deployment,
  demands: Promise<readonly IssuanceDemand[] | undefined>,
): Promise<Finding[]>[] {
  if (config === undefined) {
    return [skipGroup('networks', secrets ? 'variables or secrets are wrong' : 'the secrets are not known')];
  }
  const withEndpoints = config.networks.filter(({ network }) => config.rpc[network]?.length);
  if (withEndpoints.length === 0) return [skipGroup('networks', 'none has an endpoint')];
  return [
    ...withEndpoints.map((network) => checkNetwork(config, network, demands)),
    checkUnreachedNetworks(config, demands),
  ];
}

function checkServiceGroup({ issuers }: ParsedConfigs, { url, environment }: Deployment): Promise<Finding[]> {
  if (url === undefined) return skipGroup('service', 'name where it answers with --url URL');
  return checkService(url, issuers, environment === undefined);
}
