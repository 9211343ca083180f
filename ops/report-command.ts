import { LOCALNET_FILE } from '../terminal/option-values.ts';
import { printError } from '../terminal/print.ts';
import { openService } from './admin-api.ts';
import { readDeployment } from './nodes/deployment.ts';
import type { NodeSource } from './nodes/options.ts';

/** A command that is about to act on the chain or a database. */
interface Reported {
  readonly command: string;
  readonly args: readonly string[];
  /** Name of the deployment; undefined: the localnet. */
  readonly environment: string | undefined;
  readonly localnet?: string | undefined;
  /** Undefined: the public origin of the deployment. */
  readonly url?: string | undefined;
}

/** The service answers within a second, or is away. */
const RETRIES = { times: 1, withinMs: 10_000, attemptMs: 5_000 };
const MAX_ARGUMENTS = 50;
const MAX_CHARS = 500;

/**
 * Records the command in the audit trail of the operator. A command may be there to repair the service, so it continues with a warning if
 * the trail does not answer.
 */
export async function reportCommand({ command, args, environment, localnet, url }: Reported): Promise<void> {
  try {
    const file = localnet ?? LOCALNET_FILE;
    const call = openService(readDeployment({ environment, localnet: file, secrets: undefined, url }), RETRIES);
    const report = { command, environment: environment ?? 'local', arguments: withoutSecrets(args) };
    await call('POST', '/admin/audit', report);
  } catch (fault) {
    printError(`warning: the audit trail has no entry of this command: ${(fault as Error).message}`);
  }
}

/** Reports a command that names its deployment with the nodes. One that only names nodes concerns no deployment. */
export async function reportNodesCommand(command: string, args: readonly string[], source: NodeSource): Promise<void> {
  if (source.type === 'urls') return;
  const { environment, localnet } = { environment: undefined, localnet: undefined, ...source };
  return reportCommand({ command, args, environment, localnet });
}

/** The URL of a node may have a key in its path or its query. */
function withoutSecrets(args: readonly string[]): string[] {
  const shown = args.map((each) => each.replace(/(https?|wss?):\/\/\S*/gi, (url) => URL.parse(url)?.host ?? '(a URL)'));
  return shown
    .filter((each) => each !== '')
    .map((each) => each.slice(0, MAX_CHARS))
    .slice(0, MAX_ARGUMENTS);
}
