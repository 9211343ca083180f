/** The operator's command: `npm run partner -- add|set|network|rules|list|suspend|resume|export|import …`. It calls the admin API. */

import { isSandbox } from '../src/network/sandbox.ts';
import type { ImportedRows } from '../src/operator/partner-requests.ts';
import type { PartnerRecord } from '../src/store/partner-record.ts';
import { runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { formatTable, print } from '../terminal/print.ts';
import { type AdminCall, openService } from './admin-api.ts';
import { printPlan, requestStep } from './dry-run.ts';
import { readText, writeNewFile } from './files.ts';
import { readDeployment } from './nodes/deployment.ts';
import { type PartnerCommand, partnerCommand } from './partner/commands.ts';
import { formatExport, parseExport, slicesOf } from './partner/file.ts';
import { demandPartnerOf, listPartners, readRows } from './partner/read-partners.ts';
import { pathOf, sendChange, type Write } from './partner/send-change.ts';

async function run(given: PartnerCommand): Promise<void> {
  // Before the service is called, so that a wrong file changes nothing.
  const file = given.type === 'import' ? parseExport(readText(given.file)) : undefined;
  const call = openService(readDeployment(given.service), RETRIES);
  if (given.type === 'list') return printPartners(await listPartners(call));
  if (given.type === 'show-rules') return showRules(call, given.gatekeeperNetwork);
  if (given.type === 'export') return exportRows(await readRows(call), given.file);
  const writes = writesOf(given, file);
  if (given.dryRun) {
    await demandSubject(call, given);
    return printPlan(writes.map(({ method, path, body }) => requestStep(method, path, body)));
  }
  const answers = await sendAll(call, writes);
  const isAtOnce = given.type === 'add' || given.service.environment === undefined;
  const delay = isAtOnce ? '' : '; every location follows within 60 seconds';
  print(resultOf(given, file) + detailOf(given, answers) + delay);
  if (file !== undefined) await printOthers(call, file);
}

type ChangeCommand = Exclude<PartnerCommand, { readonly type: 'list' | 'export' | 'show-rules' }>;

/** Throws Failure if the service would refuse the change because of its present partners. */
async function demandSubject(call: AdminCall, given: ChangeCommand): Promise<void> {
  switch (given.type) {
    case 'set':
    case 'suspend':
    case 'resume':
      await call('GET', pathOf(given.clientId));
      return;
    case 'add': {
      const { clientId } = given.partner;
      if ((await listPartners(call)).some((each) => each.clientId === clientId))
        throw new Failure(`${clientId} is a partner already: change it with \`npm run partner -- set\``);
      return;
    }
    case 'network':
    case 'rules':
      await demandPartnerOf(call, given.gatekeeperNetwork);
  }
}

function writesOf(given: ChangeCommand, file: ImportedRows | undefined): Write[] {
  switch (given.type) {
    case 'add':
      return [{ method: 'POST', path: '/admin/partners', body: given.partner }];
    case 'import': {
      const slices = file === undefined ? [] : slicesOf(file);
      const { reason } = given;
      return slices.map((slice) => ({
        method: 'POST',
        path: '/admin/partners/import',
        body: { ...slice, reason },
      }));
    }
    case 'set':
      return [{ method: 'PATCH', path: pathOf(given.clientId), body: given.settings }];
    case 'network': {
      const { gatekeeperNetwork: key, isPublic: publicVerify, reason } = given;
      return [{ method: 'PATCH', path: `/admin/gatekeeper-networks/${key}`, body: { publicVerify, reason } }];
    }
    case 'rules': {
      const { gatekeeperNetwork: key, change } = given;
      return [{ method: 'PATCH', path: `/admin/gatekeeper-networks/${key}/rules`, body: change }];
    }
    case 'suspend':
    case 'resume': {
      const { clientId, reason } = given;
      const status = given.type === 'suspend' ? 'suspended' : 'active';
      return [{ method: 'PATCH', path: pathOf(clientId), body: { status, reason } }];
    }
  }
}

/** A repetition after a failure changes nothing that is done already. */
async function sendAll(call: AdminCall, writes: readonly Write[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [index, write] of writes.entries()) {
    const answer = sendChange(call, write).catch((fault: Failure) => {
      if (index === 0) throw fault;
      throw new Failure(`${fault.message} (${index} of ${writes.length} slices are imported)`, fault.exitCode);
    });
    answers.push(await answer);
  }
  return answers;
}

/** Says which sandbox a new partner has, because the service may have made its key, and all rules after the change of one. */
function detailOf({ type }: ChangeCommand, [answer]: readonly unknown[]): string {
  const { gatekeeperNetwork = '', rules }: Partial<PartnerRecord> = Object(answer);
  if (type === 'add' && isSandbox(gatekeeperNetwork)) return ` in the sandbox ${gatekeeperNetwork}`;
  return type === 'rules' && rules !== undefined ? `: ${formatRules(rules)}` : '';
}

function resultOf(given: ChangeCommand, file: ImportedRows | undefined): string {
  switch (given.type) {
    case 'add':
      return `added ${given.partner.clientId} (${given.partner.name})`;
    case 'import':
      return `imported ${file?.partners.length} partners`;
    case 'set':
      return `changed ${given.clientId}`;
    case 'network':
      return `public checks of ${given.gatekeeperNetwork} are ${given.isPublic ? 'on' : 'off'}`;
    case 'rules':
      return titleOfRules(given.gatekeeperNetwork);
    case 'suspend':
      return `${given.clientId} is suspended`;
    case 'resume':
      return `${given.clientId} is active`;
  }
}

async function showRules(call: AdminCall, key: string): Promise<void> {
  const { rules } = await demandPartnerOf(call, key);
  print(`${titleOfRules(key)}: ${formatRules(rules)}`);
}

const titleOfRules = (key: string) => `rules of ${key} for subjects`;

const formatRules = (rules: PartnerRecord['rules']): string =>
  Object.entries(rules)
    .map(([name, value]) => `${name}=${value}`)
    .join(',') || 'none';

function exportRows(rows: ImportedRows, file: string): void {
  // Never overwrites a file: an earlier export may be the only copy of rows that a restore has removed.
  writeNewFile(file, `${formatExport(rows)}\n`);
  print(`exported ${rows.partners.length} partners to ${file}`);
}

const RETRIES = { times: 3, withinMs: 60_000, attemptMs: 20_000 };

async function printOthers(call: AdminCall, { partners }: ImportedRows): Promise<void> {
  const imported = new Set(partners.map(({ client_id }) => client_id));
  // A closed database lists nothing, and the import is done.
  const all = await listPartners(call).catch(() => []);
  const others = all.map(({ clientId }) => clientId).filter((id) => !imported.has(id));
  if (others.length > 0) print(`these partners are not in the file and did not change: ${others.join(', ')}`);
}

function printPartners(partners: readonly PartnerRecord[]): void {
  const heads = [
    ...['client', 'name', 'gatekeeper network', 'shard', 'contracts', 'networks', 'lifetime', 'daily issuances'],
    ...['daily changes', 'organization', 'rules for subjects', 'public checks', 'status'],
  ];
  const lines = partners.map((partner) => [
    partner.clientId,
    partner.name,
    partner.gatekeeperNetwork,
    partner.shard,
    // The first issuance on another network chooses its default contract.
    Object.entries(partner.contracts)
      .map(([network, contract]) => `${network}=${contract}`)
      .join(',') || 'none yet',
    partner.networks?.join(',') ?? 'unlimited',
    partner.passLifetime === null ? 'unlimited' : `${partner.passLifetime} s`,
    String(partner.dailyIssuances ?? 'unlimited'),
    String(partner.dailyChanges ?? 'unlimited'),
    partner.organization ?? 'none',
    formatRules(partner.rules),
    isSandbox(partner.gatekeeperNetwork) ? 'never' : partner.publicVerify ? 'on' : 'off',
    partner.status,
  ]);
  print(...formatTable(heads, lines).split('\n'));
}

/** Runs the command, prints its result, and returns the exit code. */
export const runPartnerCommand = (args: readonly string[]): Promise<number> => runNpmCommand(partnerCommand(run), args);

if (import.meta.main) process.exitCode = await runPartnerCommand(process.argv.slice(2));
