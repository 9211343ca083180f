/** `npm run demo`: issues passes for real, tells what happens as it happens, and lets the chain have the last word. */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { stopChildren } from '../../scripts/child-process.ts';
import { table } from '../../scripts/table.ts';
import { runCommand } from './command.ts';
import { freshWallet } from './fresh-wallet.ts';
import { type Gatepass, startGatepass } from './gatepass.ts';
import { PartnerClient, type PassRecord } from './partner-client.ts';
import { openState } from './state-folder.ts';
import { dAppAccepts } from './witness.ts';
import { shownLine } from './worker-output.ts';

const INTERRUPTED = 1;
const ORDERS = [
  ...['sepolia', 'baseSepolia', 'devnet'].flatMap((network) => Array(3).fill({ partner: 'acme', network })),
  { partner: 'globex', network: 'sepolia' },
  { partner: 'globex', network: 'devnet' },
] as readonly { partner: string; network: string }[];

/** How one issuance went. */
interface Outcome {
  readonly wallet: string;
  readonly network: string;
  readonly state: string;
  readonly 'on chain': string;
  readonly seconds: string;
  readonly transaction: string;
}

/** The transaction comes last: it is longer on one chain than on the other, and longer than all the rest. */
const HEADS = ['wallet', 'network', 'state', 'on chain', 'seconds', 'transaction'] as const;

await runCommand(async (atEnd) => {
  const { values } = parseArgs({ options: { 'solana-program': { type: 'string' } } });
  const state = openState();
  atEnd(state.close);
  atEnd(stopChildren);
  console.log('Starting an OAuth server, two Ethereum nodes, a Solana node and the Worker …');
  const { facts, worker } = await startGatepass({ folder: state.folder, solanaProgram: values['solana-program'] });

  const outcomes = await Promise.all(ORDERS.map(({ partner, network }) => issue(facts, partner, network)));
  const rows = outcomes.map((outcome) => HEADS.map((head) => outcome[head]));
  console.log(`\n${table(HEADS, rows)}\n`);
  const good = outcomes.filter((outcome) => outcome.state === 'ACTIVE' && outcome['on chain'] === 'valid');
  console.log(`${good.length} of ${outcomes.length} passes are active, and valid to a dApp that asks the chain.`);
  if (good.length === outcomes.length) return 0;
  const log = (await readFile(worker.logFile, 'utf8')).split('\n').map(shownLine).filter(isNews);
  console.error(`\nThe Worker's last words:\n${log.slice(-30).join('\n')}`);
  return 1;
}, INTERRUPTED);

/** Not the partners' own requests, of which there are many while they wait. */
function isNews(line: string | undefined): boolean {
  return Boolean(line) && !/^at=request .* status=2/.test(line ?? '');
}

/** Issues one pass for a wallet nobody has used, and watches it until it is settled. Says what went wrong, if it does. */
async function issue(world: Gatepass['facts'], partner: string, network: string): Promise<Outcome> {
  const client = new PartnerClient(world, partner);
  const wallet = freshWallet(network);
  const started = Date.now();
  const seconds = () => ((Date.now() - started) / 1000).toFixed(1);
  const say = (what: string) =>
    console.log(`${seconds().padStart(5)} s  ${network.padEnd(11)}  ${short(wallet)}  ${what}`);
  const onLook = newsTeller(say);
  try {
    onLook(await client.issue(network, wallet));
    const pass = await client.untilSettled(network, wallet, { onLook });
    const took = seconds();
    const valid = await dAppAccepts(world.rpc[network] ?? '', wallet, client.gatekeeperNetwork);
    const transaction = pass.events.findLast((event) => event.transaction)?.transaction?.identifier ?? 'none';
    return {
      wallet,
      network,
      state: pass.state,
      transaction,
      seconds: took,
      'on chain': valid ? 'valid' : 'not valid',
    };
  } catch (error) {
    say((error as Error).message);
    return { wallet, network, state: 'unknown', transaction: 'none', seconds: seconds(), 'on chain': 'not asked' };
  }
}

/** Tells of each event once, and again when its transaction changes. */
function newsTeller(say: (what: string) => void): (pass: PassRecord) => void {
  const told = new Set<string>();
  return ({ events }) => {
    for (const [index, { eventType, transaction, reason }] of events.entries()) {
      const detail = transaction ? [transaction.status, transaction.identifier] : [];
      const news = [eventType, ...detail, ...(reason ? [reason] : [])].join(' ');
      if (!told.has(`${index} ${news}`)) say(news);
      told.add(`${index} ${news}`);
    }
  };
}

function short(wallet: string): string {
  return `${wallet.slice(0, 6)}…${wallet.slice(-4)}`;
}
