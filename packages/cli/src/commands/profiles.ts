import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { Failure } from '../failure.ts';
import { printTable } from '../print-passes.ts';
import { profileNames, readProfile, removeProfile } from '../profiles.ts';
import type { Session } from '../session.ts';
import { profileOf } from '../settings.ts';

/** Adds the command that lists the profiles. It prints no secret. */
export function addProfiles(program: Command, { stdout, stderr, env }: Session): void {
  program
    .command('profiles')
    .summary('print the stored profiles')
    .description('Prints the name, the service and the client of each profile.')
    .action(() => {
      const names = profileNames(env);
      if (names.length === 0) return void stderr.print('no profiles. `gatepass login --save NAME` stores one');
      const rows = names.map((name) => {
        const { GATEPASS_URL = '', GATEPASS_CLIENT_ID = '' } = readProfile(name, env);
        return [name, GATEPASS_URL, GATEPASS_CLIENT_ID];
      });
      return printTable(['profile', 'service', 'client'], rows, stdout);
    });
}

/** Adds the command that deletes profiles. */
export function addLogout(program: Command, session: Session): void {
  const { stdout, stderr, env } = session;
  program
    .command('logout')
    .summary('delete a stored profile')
    .description(
      'Deletes the profile that --profile names, or all of them. Access tokens are stored nowhere. The service still accepts the credentials.',
    )
    .option('--all', 'deletes all profiles')
    .option('--yes', 'does not ask for a confirmation before it deletes all')
    .action(async ({ all, yes }: { readonly all?: boolean; readonly yes?: boolean }) => {
      const name = profileOf(session.source(), env);
      if (all && session.source().profile !== undefined) throw new Failure('name either --profile or --all');
      if (!all && name === undefined) throw new Failure('name the profile with --profile, or add --all');
      const names = all ? profileNames(env) : [name ?? ''];
      if (names.length === 0) return void stderr.print('no profiles');
      if (all) await confirm(`Delete ${names.length} profiles: ${names.join(', ')}?`, 'the deletion', { yes }, session);
      for (const each of names) {
        removeProfile(each, env);
        stdout.print(`${each} is deleted`);
      }
    });
}
