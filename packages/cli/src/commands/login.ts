import { AnswerTooLarge, type Gatepass, GatepassProblem } from '@gatepass/client';
import type { Command } from 'commander';
import { boundedFetch } from '../bounded-fetch.ts';
import { confirm } from '../confirm.ts';
import { Failure } from '../failure.ts';
import { profileNames, storeProfile } from '../profiles.ts';
import type { Session } from '../session.ts';

const HEALTH_TIMEOUT_MS = 10_000;

/** Requests without an effect, by the scope that each needs. The service checks the scope before it reads the body. */
const PROBES: readonly (readonly [scope: string, allows: string, probe: (gatepass: Gatepass) => Promise<unknown>])[] = [
  ['search:pass', 'get, search and events', (gatepass) => gatepass.newestSequence()],
  ['issue:pass', 'issue', (gatepass) => gatepass.issueMany([])],
  ['update:pass', 'freeze, unfreeze, revoke and set-expiry', (gatepass) => gatepass.updateMany([])],
  ['webhook:manage', 'webhooks', (gatepass) => gatepass.webhooks.list()],
  ['manage:rules', 'changes of the rules for subjects', (gatepass) => gatepass.rules.update({})],
];

const EXAMPLES = `
Examples:
  gatepass login --env-file partner.env --save acme
  gatepass search --profile acme`;

/** Adds the command that checks the settings. */
export function addLogin(program: Command, session: Session): void {
  program
    .command('login')
    .summary('check the settings, and print what they permit')
    .description(
      'Checks the URL, the token endpoint and the credentials, and prints what they permit. Stores nothing without --save.',
    )
    .option('--save <name>', 'stores them as a profile, in a file that only you can read')
    .option('--yes', 'replaces a profile of this name without a confirmation')
    .addHelpText('after', EXAMPLES)
    .action(async ({ save, yes }: { readonly save?: string; readonly yes?: boolean }) => {
      const { stdout } = session;
      const { url, clientId } = session.settings();
      await checkHealth(url);
      stdout.print(`service: ${url}`, `client: ${clientId}`);
      const gatepass = session.connect();
      for (const [scope, allows, probe] of PROBES) {
        const isAllowed = await isPermitted(() => probe(gatepass));
        stdout.print(`${isAllowed ? 'permitted' : 'not permitted'}: ${allows} (${scope})`);
      }
      if (save === undefined) return;
      if (profileNames(session.env).includes(save))
        await confirm(`Replace the profile ${save}?`, 'the replacement', { yes }, session);
      stdout.print(`stored: ${storeProfile(save, session.variables(), session.env)}`);
    });
}

async function checkHealth(url: string): Promise<void> {
  const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
  const answer = await boundedFetch()(`${url}/health`, { signal }).catch((fault) => {
    if (fault instanceof AnswerTooLarge) throw fault;
    return undefined;
  });
  if (answer === undefined) throw new Failure(`no answer from ${url}: check GATEPASS_URL and your network`);
  const body = (await answer.json().catch(() => undefined)) as { status?: unknown } | undefined;
  if (body?.status !== 'ok') throw new Failure(`${url} is not the URL of the service, or the service is not healthy`);
}

/** Returns whether the token has the scope. Throws every problem that concerns the client. */
async function isPermitted(probe: () => Promise<unknown>): Promise<boolean> {
  try {
    await probe();
    return true;
  } catch (fault) {
    if (!(fault instanceof GatepassProblem)) throw fault;
    if (fault.code === 'insufficient_scope') return false;
    // The probe has no item.
    if (fault.code === 'invalid_request') return true;
    throw fault;
  }
}
