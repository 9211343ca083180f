import type { Config } from '../../src/config/config.ts';
import { nowSeconds } from '../../src/lib/units.ts';
import { findNetwork } from '../../src/network/networks.ts';
import type { Deployment } from '../nodes/deployment.ts';
import { openContract, type VerdictsContract } from '../verdict/contracts.ts';
import { currentOf, type ListedKey, readVerdictKeys } from '../verdict/service.ts';
import { check, type Finding, fail, ok, skip, type Verdict } from './check.ts';

/** Ten minutes after it has ended, no verdict of a key is valid any longer. */
const LAST_VERDICT_SECONDS = 600;

/**
 * Checks the key that signs verdicts by the public list of the running service, and each contract of the deployment that trusts such keys.
 * Returns nothing for a deployment without a key and without contracts.
 * @param config Undefined: variables or secrets are invalid or unknown.
 */
export async function checkVerdictKeys(
  { url, verdictContracts }: Pick<Deployment, 'url' | 'verdictContracts'>,
  config: Config | undefined,
): Promise<Finding[]> {
  const key = config?.verdictKeys.key?.address;
  const contracts = Object.entries(verdictContracts);
  if (url === undefined)
    return key === undefined && contracts.length === 0
      ? []
      : [await check('verdict key', () => skip('pass the URL of the service with --url URL'))];
  const listed = await readVerdictKeys(url).catch(() => undefined);
  if (listed !== undefined && listed.length === 0 && key === undefined && contracts.length === 0) return [];
  return Promise.all([
    check('verdict key', () => keyVerdict(key, listed)),
    ...contracts.map(([name, address]) =>
      check(`${name}, verdicts ${address}`, () => {
        const network = config && findNetwork(config.networks, 'ethereum', name);
        const endpoints = config?.rpc[name] ?? [];
        if (network?.chain !== 'ethereum' || endpoints.length === 0) return skip(`${name} has no endpoint`);
        const contract = openContract({ network, endpoints, gatekeepers: [] }, address);
        return listed === undefined ? skip(NO_LIST) : contractVerdict(contract, listed);
      }),
    ),
  ]);
}

const NO_LIST = 'the service does not show its verdict keys';

function keyVerdict(key: string | undefined, listed: readonly ListedKey[] | undefined): Verdict {
  if (listed === undefined) return skip(NO_LIST);
  const current = currentOf(listed)?.address;
  if (key === undefined || key === current)
    return ok(current === undefined ? 'the service signs no verdicts' : `the service signs with ${current}`);
  const ended = listed.some(({ address }) => address === key);
  const signs = current === undefined ? 'signs nothing' : `signs with ${current}`;
  return fail(
    `VERDICT_KEY is ${key}, which ${ended ? 'has ended' : 'the public list lacks'}, and the service ${signs}`,
    'remove it from the file of secrets; `npm run verdict -- new` makes a new key',
  );
}

async function contractVerdict({ trusts }: VerdictsContract, listed: readonly ListedKey[]): Promise<Verdict> {
  const trusted = await Promise.all(listed.map(async (key) => ((await trusts(key.address)) ? [key] : [])));
  const since = nowSeconds() - LAST_VERDICT_SECONDS;
  const old = trusted.flat().find(({ until }) => until !== undefined && until < since);
  if (old !== undefined)
    return fail(`it still trusts ${old.address}, which has ended`, `run \`npm run verdict -- end ${old.address}\``);
  const current = currentOf(listed);
  if (current === undefined) return ok('it trusts no key that has ended');
  if (trusted.flat().includes(current)) return ok(`it trusts ${current.address}`);
  return fail(
    `it does not trust ${current.address}, so it refuses every verdict`,
    'have its owner call addKey, or replace the key with `npm run verdict -- new`',
  );
}
