import type { Gatepass, Pass, PassKey } from '@gatepass/client';
import type { Command } from 'commander';
import type { ChainType } from '../csv/wallet.ts';
import { Failure } from '../failure.ts';
import { chainOf, chainOption, chainWith, demandChainOfNetwork, NETWORK_NAMES, networkOption } from '../networks.ts';
import { ownName } from '../own-name-option.ts';
import { printEvents, printLines, printPasses, printReasons } from '../print-passes.ts';
import { EXIT, type ExitCode, type Session } from '../session.ts';
import { demandWallet } from '../wallet-argument.ts';

interface GetOptions {
  readonly chain?: string;
  readonly network?: string;
  readonly subject?: string;
  readonly json?: boolean;
}

/** Adds the command that prints the passes of a wallet. */
export function addGet(program: Command, session: Session, finish: (code: ExitCode) => void): void {
  program
    .command('get')
    .summary('print the passes of a wallet or of a person')
    .description('Prints the pass of a wallet on a network, or the passes of a wallet or a person on all networks.')
    .argument('[wallet]', 'the wallet address')
    .addOption(chainOption())
    .addOption(networkOption())
    .option('--subject <name>', 'the person, with the progress of the newest changes', ownName('subject'))
    .option('--json', 'prints each record as a line of JSON')
    .action(async (wallet: string | undefined, { subject, ...options }: GetOptions) => {
      const { chain, network, json } = options;
      if (subject !== undefined && (wallet ?? chain ?? network) === undefined)
        return finish(await printSubject(subject, json, session));
      if (wallet === undefined || subject !== undefined) throw new Failure('name either a wallet or --subject alone');
      demandChainOfNetwork(chain, network);
      const walletAddress = demandWallet(wallet, network === undefined ? (chain as ChainType) : chainOf(network));
      const found = await findPasses(walletAddress, network, session.connect());
      const passes = found.filter((pass) => chain === undefined || pass.chain.type === chain);
      if (json) printLines(passes, session.stdout);
      else if (passes.length > 0) await printPasses(passes, session);
      if (!json && passes[0] !== undefined && passes.length === 1) {
        session.stdout.print('');
        printEvents(passes[0], session.stdout);
      }
      if (!json) printReasons(passes, session.stdout);
      if (passes.length > 0) return;
      session.stderr.print(`no pass of ${wallet}${network === undefined ? '' : ` on ${network}`}`);
      finish(EXIT.someFailed);
    });
}

/** Prints a subject and its newest passes. */
async function printSubject(name: string, json: boolean | undefined, session: Session): Promise<ExitCode> {
  const { stdout, stderr } = session;
  const subject = await session.connect().subjects.get(name);
  if (subject === undefined) {
    stderr.print(`no pass has the subject ${name}`);
    return EXIT.someFailed;
  }
  const { records, next, state, passes, requests } = subject;
  if (json) {
    stdout.printJson(subject);
    return EXIT.done;
  }
  const counts = Object.entries(passes).map(([each, count]) => `${count} ${each.toLowerCase()}`);
  stdout.print([name, state, ...counts].join('  '));
  for (const { state: wanted, requestedAt, total, done, finishedAt, refused } of requests) {
    const end = finishedAt === undefined ? 'not all have followed' : `ended ${finishedAt}`;
    const codes = Object.entries(refused).map(([code, count]) => `${code}: ${count}`);
    stdout.print([requestedAt, wanted ?? 'new expiry', `${done} of ${total} passes`, end, ...codes].join('  '));
  }
  stdout.print('');
  await printPasses(records as Pass[], session);
  if (next !== undefined) stderr.print(`the first ${records.length} passes. gatepass search --subject gives more`);
  return EXIT.done;
}

/** Whether a change may be under way. */
const mayWait = ({ state, onChainState, events }: Pass) =>
  state !== onChainState || events.at(-1)?.eventType.endsWith('_INITIATED') === true;

async function findPasses(walletAddress: string, network: string | undefined, gatepass: Gatepass): Promise<Pass[]> {
  if (network === undefined) {
    const passes: Pass[] = [];
    for await (const pass of gatepass.passes({ walletAddress })) {
      passes.push(pass);
      if (passes.length > NETWORK_NAMES.length)
        throw new Failure('the answers have more passes than networks exist: is GATEPASS_URL the URL of the service?');
    }
    // A search does not say why a pass waits.
    return Promise.all(passes.map(async (pass) => (mayWait(pass) && (await gatepass.get(pass as PassKey))) || pass));
  }
  const pass = await gatepass.get({ chain: chainWith(network), walletAddress });
  return pass === undefined ? [] : [pass];
}
