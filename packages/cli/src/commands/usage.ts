import type { Gatepass, Pass, Usage } from '@gatepass/client';
import type { Command } from 'commander';
import { Failure } from '../failure.ts';
import { sandboxTime } from '../present-time.ts';
import { printLines, printTable } from '../print-passes.ts';
import type { Session } from '../session.ts';

interface UsageOptions {
  readonly month?: string;
  readonly subjects?: boolean;
  readonly json?: boolean;
}

/** Adds the command that prints the usage of a month. */
export function addUsage(program: Command, session: Session): void {
  const { stdout, stderr } = session;
  program
    .command('usage')
    .summary('print the passes issued, renewed and revoked in a month')
    .description(
      'Prints the passes issued, renewed and revoked in a month by network, and the active ones now. A sandbox has no months: its passes by state.',
    )
    .option('--month <month>', 'the month in UTC, for example 2026-11; without it, the current one')
    .option('--subjects', 'also counts the subjects that have active passes, and these passes')
    .option('--json', 'prints each network as a line of JSON')
    .action(async ({ month, subjects: counts = false, json }: UsageOptions) => {
      const gatepass = session.connect();
      const usage = await gatepass.usage({ ...(month !== undefined && { month }), subjects: counts });
      const { networks, subjects } = usage;
      const isSandbox = networks.length === 0 && (await sandboxTime(gatepass)) !== undefined;
      const { lines, none, head, rows } = isSandbox ? tableOfSandbox(await countPasses(gatepass)) : tableOfMonth(usage);
      if (json) return printLines([...lines, ...(subjects === undefined ? [] : [{ subjects }])], stdout);
      if (rows.length === 0) return void stderr.print(none);
      printTable(head, rows, stdout);
      if (subjects !== undefined)
        stdout.print('', `subjects with an active pass: ${subjects.count}, with ${subjects.passes} of these passes`);
    });
}

interface UsageTable {
  /** The objects that JSON shows, a line each. */
  readonly lines: readonly object[];
  /** The sentence if there is none. */
  readonly none: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const tableOfMonth = ({ month, networks }: Usage): UsageTable => ({
  lines: networks,
  none: 'no passes yet',
  head: [`in ${month}`, 'issued', 'renewed', 'revoked', 'active now'],
  rows: networks.map(({ chain, issued, renewed, revoked, active }) => [
    chain.network,
    ...[issued, renewed, revoked, active].map(String),
  ]),
});

const STATES = ['REQUESTED', 'ACTIVE', 'FROZEN', 'REVOKED', 'REJECTED'] as const;
type Counts = Record<(typeof STATES)[number], number>;

/** A sandbox has at most half of this number. */
const PASSES_MAX = 20_000;

/** Returns the number of passes by network and state. The service counts no usage of a sandbox. */
async function countPasses(gatepass: Gatepass): Promise<ReadonlyMap<string, { chain: Pass['chain']; counts: Counts }>> {
  const networks = new Map<string, { chain: Pass['chain']; counts: Counts }>();
  let found = 0;
  for await (const { chain, state } of gatepass.passes()) {
    const none: Counts = { REQUESTED: 0, ACTIVE: 0, FROZEN: 0, REVOKED: 0, REJECTED: 0 };
    const { counts } = networks.get(chain.network) ?? { counts: none };
    const known = STATES.find((each) => each === state);
    if (known !== undefined) counts[known] += 1;
    networks.set(chain.network, { chain, counts });
    found += 1;
    if (found > PASSES_MAX) throw new Failure('the answers have more passes than a sandbox: is GATEPASS_URL right?');
  }
  return networks;
}

const tableOfSandbox = (networks: Awaited<ReturnType<typeof countPasses>>): UsageTable => ({
  lines: [...networks.values()],
  none: 'no passes yet in this sandbox',
  head: ['in this sandbox', ...STATES.map((state) => state.toLowerCase())],
  rows: [...networks].map(([network, { counts }]) => [network, ...STATES.map((state) => String(counts[state]))]),
});
