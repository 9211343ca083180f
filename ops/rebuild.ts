/** `npm run rebuild`: updates a restored or emptied database from the pass objects. */
import type { Command } from 'commander';
import { wholeNumber } from '../packages/cli/src/parse-number.ts';
import { npmCommand, type Run, runNpmCommand } from '../terminal/command.ts';
import { demandOneOf, demandWith, filePath, LOCALNET_FILE, serviceUrl, shardName } from '../terminal/option-values.ts';
import { print } from '../terminal/print.ts';
import { openService } from './admin-api.ts';
import { wranglerConfigOf } from './deploy/deployment-config.ts';
import { type DryRunValues, dryRunOption, printPlan } from './dry-run.ts';
import { type Deployment, readDeployment } from './nodes/deployment.ts';
import { accountIn, idsOfScript } from './rebuild/cloudflare-api.ts';
import { type IdSource, idsInFile, idsInState, idsOfList } from './rebuild/object-ids.ts';
import { planRebuild, rebuildShard } from './rebuild/rebuild-shard.ts';
import { reportCommand } from './report-command.ts';

export interface RebuildOptions extends DryRunValues {
  readonly shard: string;
  /** Name of the deployment; absent: the localnet. */
  readonly env?: string;
  /** Without a slash at its end; absent: the URL of the localnet. */
  readonly url?: string;
  readonly local?: true;
  readonly localnet?: string;
  /** File with the ids; absent: the service's own list. */
  readonly ids?: string;
  readonly parallel: number;
  readonly continue?: true;
}

export const rebuildCommand = (run: Run<RebuildOptions>): Command =>
  npmCommand('rebuild', 'Updates a restored or emptied database from the pass objects.')
    .requiredOption('--shard <name>', 'binding of the database: DB or like DB_1', shardName)
    .option(
      '--env <name>',
      "the deployment. The ids of the objects come from Cloudflare's API: set CLOUDFLARE_ACCOUNT_ID and " +
        'CLOUDFLARE_API_TOKEN (permission: Workers Scripts Read)',
    )
    .option(
      '--url <url>',
      "URL of the service, including its base path. For the operator's token, set GATEPASS_TOKEN, or GATEPASS_TOKEN_URL, " +
        'GATEPASS_CLIENT_ID and GATEPASS_CLIENT_SECRET. If your issuer needs them, also set GATEPASS_AUDIENCE and GATEPASS_SCOPE',
      serviceUrl,
    )
    .option('--local', 'rebuilds a database of a running `npm run dev`, and reads the ids from its state folder')
    .option('--localnet <file>', 'file that describes the localnet; default: .dev/localnet.json', filePath)
    .option('--ids <file>', 'reads the ids from a file with one id per line', filePath)
    .option('--parallel <number>', 'number of parallel requests, 1 to 32', wholeNumber(1, 32), 8)
    .option('--continue', 'continues a stopped rebuild. Do not use it if the shard was restored again since then')
    .addOption(dryRunOption())
    .action((options: RebuildOptions) => {
      demandOneOf(options, 'local', 'env');
      demandWith(options, 'localnet', 'local');
      demandWith(options, 'env', 'url');
      return run(options);
    });

async function rebuild(options: RebuildOptions): Promise<void> {
  const { shard, env, url, localnet = LOCALNET_FILE, parallel, continue: continues = false } = options;
  const deployment = readDeployment({ environment: env, localnet, secrets: undefined, url });
  const call = openService(deployment);
  const source = await sourceOf(options, deployment);
  if (options.dryRun) return printPlan(await planRebuild(call, { shard, source, parallel, continues, say: print }));
  await reportCommand({ command: 'rebuild', args: process.argv.slice(2), environment: env, localnet, url });
  const done = await rebuildShard(call, { shard, source, parallel, continues, say: print });
  const { objects, passes, elsewhere, empty } = done;
  print(
    `rebuilt ${shard} from ${objects} objects: ${passes} hold a pass of this shard, ` +
      `${elsewhere} a pass of another shard, ${empty} no pass`,
  );
}

/** Returns the ids of the file, of the local state folder, or of Cloudflare's list. */
async function sourceOf({ env, ids }: RebuildOptions, { state }: Deployment): Promise<IdSource> {
  if (ids !== undefined) return idsOfList(idsInFile(ids));
  const script = wranglerConfigOf(env).name ?? '';
  return state === undefined ? idsOfScript(accountIn(process.env), script) : idsOfList(await idsInState(state, script));
}

if (import.meta.main) process.exitCode = await runNpmCommand(rebuildCommand(rebuild), process.argv.slice(2));
