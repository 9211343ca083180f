import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import * as v from 'valibot';
import type { Address } from 'viem';
import { networkNamesOf } from '../../src/network/networks.ts';
import { canonicalWallet } from '../../src/network/wallet.ts';
import { Failure } from '../../terminal/failure.ts';
import { loadWrangler, PROJECT } from '../../terminal/wrangler.ts';

/** The folder of the files with the values of the deployments. It may be a clone of a repository of your own. */
export const valuesFolder = () => resolve(PROJECT, process.env.GATEPASS_DEPLOYMENTS || 'deployments');

/** The file with the values of a deployment. */
export const valuesFileOf = (deployment: string) => join(valuesFolder(), `${deployment}.toml`);

/** The tracked file that shows every value. It is no deployment. */
const EXAMPLE = 'example';

const Rate = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const Destinations = v.array(v.string());

const Contract = v.pipe(
  v.string(),
  v.check((text) => canonicalWallet('ethereum', text) !== undefined),
  v.transform((text) => canonicalWallet('ethereum', text) as string as Address),
);

/** The values that differ between deployments. Everything else is in `wrangler.toml`. */
const Values = v.strictObject({
  /** The name of the Worker, with which the names of its queues begin. Default: `gatepass-` and the name of the deployment. */
  name: v.optional(v.pipe(v.string(), v.regex(/^[a-z0-9]([a-z0-9-]{0,52}[a-z0-9])?$/))),
  account_id: v.optional(v.string()),
  /** Default: only without routes. */
  workers_dev: v.optional(v.boolean()),
  routes: v.optional(
    v.array(
      v.union([
        v.string(),
        v.strictObject({
          pattern: v.string(),
          custom_domain: v.optional(v.boolean()),
          zone_id: v.optional(v.string()),
          zone_name: v.optional(v.string()),
        }),
      ]),
    ),
  ),
  vars: v.optional(v.record(v.string(), v.unknown()), {}),
  d1_databases: v.optional(
    v.array(v.strictObject({ binding: v.string(), database_name: v.string(), database_id: v.string() })),
    [],
  ),
  /** The contracts that trust the verdict keys of the deployment (`PassVerdicts.sol`), by network. */
  verdict_contracts: v.optional(v.record(v.picklist(networkNamesOf('ethereum')), Contract), {}),
  /** By the name of the rate limit. */
  ratelimits: v.optional(v.record(v.string(), v.strictObject({ limit: v.number(), period: v.picklist([10, 60]) })), {}),
  observability: v.optional(
    v.strictObject({
      logs: v.optional(
        v.strictObject({ destinations: v.optional(Destinations), head_sampling_rate: v.optional(Rate) }),
      ),
      traces: v.optional(
        v.strictObject({
          enabled: v.optional(v.boolean()),
          destinations: v.optional(Destinations),
          head_sampling_rate: v.optional(Rate),
        }),
      ),
    }),
    {},
  ),
});

export type DeploymentValues = v.InferOutput<typeof Values>;

/** Returns the names of the deployments that have a file. */
export function deploymentNames(): string[] {
  if (!existsSync(valuesFolder())) return [];
  return readdirSync(valuesFolder())
    .filter((file) => file.endsWith('.toml'))
    .map((file) => basename(file, '.toml'))
    .filter((name) => name !== EXAMPLE)
    .sort();
}

/** Returns the values of a deployment. Throws Failure if it has no file, or if the file is invalid. */
export function readValues(deployment: string): DeploymentValues {
  const file = valuesFileOf(deployment);
  if (!/^[a-z0-9-]+$/.test(deployment) || !existsSync(file)) {
    const names = deploymentNames();
    const remedy =
      names.length > 0 ? `name one of these deployments: ${names.join(', ')}, or` : 'run `npm run setup`, or';
    throw new Failure(
      `there is no deployment "${deployment}": ${remedy} copy deployments/example.toml to ${valuesFileOf('NAME')}`,
      2,
    );
  }
  const parsed = v.safeParse(Values, parseToml(file));
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new Failure(`${shownFile(file)}: ${faultOf(issue)}`);
}

/** Returns the parsed file. The Failure for a syntax error names the line, and quotes nothing of the file. */
export function parseToml(file: string): object {
  try {
    return loadWrangler().experimental_readRawConfig({ config: file }, { hideWarnings: true }).rawConfig;
  } catch (error) {
    // The error contains the whole file, so only its message and line are shown.
    const { message, location } = Object(error) as { message?: unknown; location?: { line?: unknown } };
    const where = location?.line === undefined ? '' : `, line ${location.line}`;
    throw new Failure(`${shownFile(file)}${where}: ${String(message).replaceAll(/\s+/g, ' ').slice(0, 300)}`);
  }
}

/** The path of a file as messages show it. */
export const shownFile = (file: string) => (file.startsWith(`${PROJECT}/`) ? file.slice(PROJECT.length + 1) : file);

/** Says which key is wrong and, for an unknown key, which keys exist there. Quotes no value. */
function faultOf(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue) ?? 'the file';
  if (issue.type !== 'strict_object') return `${path} has a wrong value or type`;
  if (issue.expected !== 'never') return `${path} is missing`;
  const keys = Object.keys(Values.entries).join(', ');
  return `${path} is unknown: correct its spelling, or remove it. A deployment's own values are ${keys}; the rest is in wrangler.toml`;
}
