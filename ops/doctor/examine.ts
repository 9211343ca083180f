import { FIRST_SHARD } from '../../src/config/shard-name.ts';
import { withTimeout } from '../../src/lib/with-timeout.ts';
import { check, type Finding, unchecked } from './check.ts';
import { configurationFindings, hasDatabases, type Known, knownOf } from './configuration.ts';
import { type Databases, migrationFindings, openDatabases, type Wanted } from './databases.ts';
import { issuerFindings } from './issuer.ts';
import { networkFindings } from './network.ts';
import { serviceFindings } from './service.ts';
import type { Subject } from './subject.ts';
import { unreachedFindings } from './unreached.ts';

/**
 * Makes all checks at once, and hands on what they find in an order that is always the same, as soon as it is there.
 * @param gatekeeperNetworks Which ones are to issue; none: those of the partners.
 */
export async function examine(
  subject: Subject,
  gatekeeperNetworks: readonly string[],
  tell: (finding: Finding) => void,
): Promise<Finding[]> {
  const known = knownOf(subject);
  const databases = await openDatabases(subject);
  try {
    const groups = [
      configurationFindings(subject),
      issuer(known),
      migrations(subject, databases),
      ...networks(known, subject, wantedOf(subject, databases, gatekeeperNetworks)),
      service(known, subject),
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

const skipped = (name: string, why: string) => Promise.all([check(name, () => unchecked(why))]);

function issuer({ issuers }: Known): Promise<Finding[]> {
  return issuers ? issuerFindings(issuers) : skipped('issuer', 'the variables are wrong');
}

function migrations(subject: Subject, databases: Databases): Promise<Finding[]> {
  return hasDatabases(subject)
    ? migrationFindings(subject, databases)
    : skipped('migrations', 'there is no database yet');
}

/** Wrangler starts slowly, and may ask over the net. */
const PATIENCE_MS = 60_000;

async function wantedOf(
  subject: Subject,
  databases: Databases,
  named: readonly string[],
): Promise<readonly Wanted[] | undefined> {
  if (named.length > 0) return named.map((gatekeeperNetwork) => ({ gatekeeperNetwork }));
  if (!hasDatabases(subject)) return undefined;
  // Why they cannot be read is told where the migrations are.
  const content = databases.contentOf(FIRST_SHARD).catch(() => undefined);
  return (await withTimeout(PATIENCE_MS, content, undefined))?.wanted;
}

function networks(
  { networks: config }: Known,
  { secrets }: Subject,
  wanted: Promise<readonly Wanted[] | undefined>,
): Promise<Finding[]>[] {
  if (config === undefined) {
    return [skipped('networks', secrets ? 'variables or secrets are wrong' : 'the secrets are not known')];
  }
  const withEndpoints = config.networks.filter(({ network }) => config.rpc[network]?.length);
  if (withEndpoints.length === 0) return [skipped('networks', 'none has an endpoint')];
  return [
    ...withEndpoints.map((network) => networkFindings(config, network, wanted)),
    unreachedFindings(config, wanted),
  ];
}

function service({ issuers }: Known, { url, environment }: Subject): Promise<Finding[]> {
  if (url === undefined) return skipped('service', 'name where it answers with --url URL');
  return serviceFindings(url, issuers, environment === undefined);
}
