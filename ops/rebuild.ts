/** `npm run rebuild`: updates a restored or emptied database from the pass objects. */
import { readFileSync } from 'node:fs';
import type { LocalnetFacts } from '../localnet/state/localnet-facts.ts';
import { Failure, reportFailure } from '../scripts/failure.ts';
import { print } from '../scripts/print.ts';
import { blockOf } from './deploy/environment-block.ts';
import { type AdminCall, credentialsIn, openAdminApi } from './rebuild/admin-api.ts';
import { accountIn, idsOfScript } from './rebuild/cloudflare-api.ts';
import { type IdSource, idsInFile, idsInState, idsOfList } from './rebuild/object-ids.ts';
import { parseRebuildOptions, type RebuildOptions, USAGE } from './rebuild/options.ts';
import { rebuildShard } from './rebuild/rebuild-shard.ts';

interface Target {
  readonly call: AdminCall;
  readonly listObjects: () => Promise<IdSource>;
}

function localTarget({ localnet, url }: RebuildOptions): Target {
  const { baseUrl, state, tokenUrl, operator } = readFacts(localnet);
  if (baseUrl === undefined || state === undefined)
    throw new Failure(`${localnet} describes no Worker: start one with \`npm run dev\``);
  const { clientId, clientSecret } = operator;
  const script = blockOf(undefined).name ?? '';
  return {
    call: openAdminApi(url ?? baseUrl, { tokenUrl, clientId, clientSecret }),
    listObjects: async () => idsOfList(await idsInState(state, script)),
  };
}

function readFacts(file: string): LocalnetFacts {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new Failure(`${file} cannot be read: start the localnet with \`npm run dev\``);
  }
}

function remoteTarget({ environment, url = '' }: RebuildOptions): Target {
  const script = blockOf(environment).name ?? '';
  return {
    call: openAdminApi(url, credentialsIn(process.env)),
    listObjects: () => idsOfScript(accountIn(process.env), script),
  };
}

async function run(options: RebuildOptions): Promise<void> {
  const { environment, idFile, shard, parallel, continues } = options;
  const { call, listObjects } = environment === undefined ? localTarget(options) : remoteTarget(options);
  const source = idFile === undefined ? await listObjects() : idsOfList(await idsInFile(idFile));
  const done = await rebuildShard(call, { shard, source, parallel, continues, say: print });
  const { objects, passes, elsewhere, empty } = done;
  print(
    `rebuilt ${shard} from ${objects} objects: ${passes} hold a pass of this shard, ` +
      `${elsewhere} a pass of another shard, ${empty} no pass`,
  );
}

try {
  const args = process.argv.slice(2);
  if (args.includes('--help')) print(...USAGE.split('\n'));
  else await run(parseRebuildOptions(args));
} catch (error) {
  process.exitCode = reportFailure(error);
}
