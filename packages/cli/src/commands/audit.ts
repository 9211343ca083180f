import type { AuditEntry, AuditQuery } from '@gatepass/client';
import type { Command } from 'commander';
import { Failure } from '../failure.ts';
import { chainOf, networkOption } from '../networks.ts';
import { limitPages } from '../page-limit.ts';
import { wholeNumber } from '../parse-number.ts';
import { printTable } from '../print-passes.ts';
import type { Session } from '../session.ts';
import { demandWallet } from '../wallet-argument.ts';

interface AuditOptions extends Pick<AuditQuery, 'client' | 'action' | 'from' | 'to'> {
  readonly network?: string;
  readonly limit: number;
  readonly json?: boolean;
}

const PAGE_MAX_ENTRIES = 1_000;

/** Adds the command that prints the audit trail. */
export function addAudit(program: Command, session: Session): void {
  program
    .command('audit')
    .summary('print who changed what, when and why')
    .description('Prints the newest entries of the audit trail, or those of one pass.')
    .argument('[wallet]', 'the wallet of the pass; also name its network')
    .addOption(networkOption())
    .option('--client <id>', 'only actions of this OAuth client')
    .option('--action <name>', 'only this action, for example pass.revoke')
    .option('--from <time>', 'only changes since this time (UTC), for example 2026-11-20')
    .option('--to <time>', 'only changes up to this time (UTC)')
    .option('--limit <number>', 'the number of entries', wholeNumber(1), 50)
    .option('--json', 'prints each entry as a line of JSON')
    .addHelpText('after', '\nExample:\n  gatepass audit 0x5290…9EE7 --network polygonMainnet')
    .action((wallet: string | undefined, options: AuditOptions) => printTrail(wallet, options, session));
}

async function printTrail(
  wallet: string | undefined,
  { network, limit, json, ...filter }: AuditOptions,
  session: Session,
): Promise<void> {
  if ((wallet === undefined) !== (network === undefined)) throw new Failure('name both a wallet and its --network');
  const chain = chainOf(network ?? '');
  const pass = wallet === undefined ? {} : { pass: `${chain}/${network}/${demandWallet(wallet, chain)}` };
  const gatepass = session.connect();
  const entries: AuditEntry[] = [];
  const countPage = limitPages();
  let after: number | undefined;
  for (;;) {
    const missing = Math.min(PAGE_MAX_ENTRIES, limit - entries.length);
    const query = {
      ...filter,
      ...pass,
      order: 'newest',
      limit: missing,
      ...(after !== undefined && { after }),
    } as const;
    const page = await gatepass.audit(query);
    entries.push(...page.entries);
    if (!page.more || entries.length >= limit) break;
    countPage(page.entries.length);
    if (after !== undefined && page.next >= after) throw new Failure('the service repeats a page of the trail');
    after = page.next;
  }
  if (json) for (const entry of entries) session.stdout.printJson(entry);
  else if (entries.length === 0) session.stderr.print('no entries');
  else printTable(['time', 'action', 'who', 'what', 'reason'], entries.map(rowOf), session.stdout);
}

function rowOf({ at, action, actor, target, reason, outcome }: AuditEntry): string[] {
  const { walletAddress, pass, webhook } = target as Readonly<Record<string, string | undefined>>;
  const who = actor.sub === undefined ? actor.client : `${actor.sub} (${actor.client})`;
  const how = outcome.type === 'done' ? '' : ` (${outcome.type})`;
  return [at.replace(/\.\d+Z$/, 'Z'), `${action}${how}`, who, walletAddress ?? pass ?? webhook ?? '', reason ?? ''];
}
