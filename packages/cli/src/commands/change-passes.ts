import { type Gatepass, GatepassProblem, type Pass, PassFailed, type PassKey, type PassUpdate } from '@gatepass/client';
import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { OWN_NAMES, type OwnName } from '../csv/own-names.ts';
import { REQUESTED, VERBS, type Verb } from '../csv/verb.ts';
import { describeFault, Failure } from '../failure.ts';
import { chainOf, chainOption, chainWith, demandChainOfNetwork, networkOption } from '../networks.ts';
import { ownName } from '../own-name-option.ts';
import { newestTransactionOf } from '../own-transaction.ts';
import { type End, parseEnd } from '../parse-time.ts';
import { secondsOf } from '../present-time.ts';
import { type CsvOptions, runCsv } from '../run/run-csv.ts';
import { EXIT, type ExitCode, type Session } from '../session.ts';
import { demandWallet } from '../wallet-argument.ts';
import { changeSubject } from './change-subject.ts';

interface PassOptions extends Omit<CsvOptions, 'csv'> {
  readonly chain?: string;
  readonly network?: string;
  readonly expires?: End;
  readonly csv?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly reason?: string;
  readonly reference?: string;
  readonly subject?: string;
  readonly remove?: boolean;
}

const SUMMARY: Readonly<Record<Verb, string>> = {
  issue: 'issue a pass, or one for each wallet of a CSV file',
  freeze: 'freeze passes',
  unfreeze: 'unfreeze passes',
  revoke: 'revoke passes for good',
  'set-expiry': 'change the expiry of passes',
  'set-reference': 'change or remove your own name for passes',
  'set-subject': 'set or remove your own name for the persons who have wallets',
};

/** The commands that change all passes of a person. */
const isOfSubject = (verb: Verb) => REQUESTED[verb].names.length === 0;

/** Adds the commands that issue and change passes. */
export function addPassCommands(program: Command, session: Session, finish: (code: ExitCode) => void): void {
  for (const verb of VERBS) {
    const command = program
      .command(verb)
      .summary(SUMMARY[verb])
      .description(
        `${SUMMARY[verb]}. Without --csv${isOfSubject(verb) ? ' and --subject' : ''}, name one wallet and its network.`,
      )
      .argument('[wallet]', 'the wallet address')
      .addOption(chainOption())
      .addOption(networkOption());
    if (REQUESTED[verb].takesExpiry)
      command.option(
        '--expires <time>',
        'the expiry: ISO 8601, Unix seconds, or a duration from now on such as 30d',
        parseEnd,
      );
    if (verb === 'revoke' || verb === 'freeze')
      command.option('--reason <text>', 'why, for the audit trail: at most 200 characters; not with --csv');
    const { names } = REQUESTED[verb];
    if (names.includes('reference'))
      command.option('--reference <text>', 'your own name for the pass: no personal data', ownName('reference'));
    if (names.includes('subject'))
      command.option(
        '--subject <name>',
        'your own name for the person: random or keyed, no personal data',
        ownName('subject'),
      );
    if (isOfSubject(verb))
      command.option('--subject <name>', 'changes all passes of this person, on all networks', ownName('subject'));
    const removed = removedBy(verb);
    if (removed !== undefined) command.option('--remove', `removes the ${removed}, also from all events`);
    if (verb === 'revoke' || removed !== undefined)
      command.option('--yes', `does not ask for a confirmation${verb === 'revoke' ? '' : ' before it removes'}`);
    if (REQUESTED[verb].isOnChain)
      command.option(
        '--no-wait',
        'returns when the service has accepted the request, not when the chain has the change',
      );
    command
      .option('--json', 'prints the record of the pass as a line of JSON')
      .option(
        '--csv <file>',
        'reads the passes from this file: walletAddress, and chain, network, expiryTimestamp, reference, subject',
      )
      .option('--results <file>', `the result file; default: beside the input, with the ending .${verb}.results.csv`)
      .option('--dry-run', 'checks the file and counts its passes, and sends nothing')
      .option('--skip-invalid', 'leaves out invalid rows')
      .option('--retry-failed', 'repeats the failures of the result file')
      .option('--restart', 'forgets the result file and sends every row')
      .addHelpText('after', EXAMPLES[verb])
      .action(async (wallet: string | undefined, options: PassOptions) =>
        finish(await runVerb(verb, wallet, options, session)),
      );
  }
}

/** Returns the name that `--remove` of the verb removes; undefined: it removes none. */
const removedBy = (verb: Verb): OwnName | undefined => (verb === 'issue' ? undefined : REQUESTED[verb].names[0]);

/** Changes one pass, the passes of a file or those of a person. Throws Failure if the options name none of them, or several. */
async function runVerb(
  verb: Verb,
  wallet: string | undefined,
  options: PassOptions,
  session: Session,
): Promise<ExitCode> {
  const { csv, chain, network, expires, remove } = options;
  const removed = removedBy(verb);
  const person = isOfSubject(verb) ? options.subject : undefined;
  if ([wallet, csv, person].filter((each) => each !== undefined).length !== 1)
    throw new Failure(`name either a wallet or --csv${isOfSubject(verb) ? ', or a person with --subject' : ''}`);
  if (person !== undefined && (chain ?? network) !== undefined)
    throw new Failure('--subject changes the passes on all networks: leave out --chain and --network');
  if (csv !== undefined && options.reason !== undefined) throw new Failure('--reason is for one wallet or person');
  if (removed !== undefined && remove && options[removed] !== undefined)
    throw new Failure(`name either --${removed} or --remove`);
  demandChainOfNetwork(chain, network);
  const names = Object.fromEntries(REQUESTED[verb].names.map((name) => [name, remove ? null : options[name]]));
  const ask = async (passes: string) => {
    if (verb === 'revoke') await confirm(`Revoke ${passes} for good?`, 'the revocation', options, session);
    if (remove)
      await confirm(`Remove the ${removed} of ${passes}, also from all events?`, 'the removal', options, session);
  };
  if (csv !== undefined) {
    const given = { chain, network, expiryTimestamp: demandTime(expires), ...names };
    return runCsv(verb, given, { ...options, csv }, session, (count) => ask(`${count} passes`));
  }
  if (person !== undefined) {
    if (verb === 'set-expiry') demandExpiry(expires);
    await ask(`${person} and all its passes`);
    const expiryTimestamp = expires && (await secondsOf(expires, session.connect()));
    return changeSubject(verb, person, { ...options, expiryTimestamp }, session);
  }
  const key = keyOf(wallet ?? '', network);
  await ask(`the pass of ${key.walletAddress} on ${network}`);
  return changeOne(verb, key, { ...options, ...names }, session);
}

/** Throws Failure for a duration. A run that continues must ask for the same expiry again: the passes of the first run have it. */
function demandTime(expires: End | undefined): number | undefined {
  if (typeof expires !== 'object') return expires;
  const day = new Date(Date.now() + expires.seconds * 1000).toISOString().slice(0, 10);
  throw new Failure(
    `with --csv, name a time such as --expires ${day}: a run that continues would ask for another expiry`,
  );
}

function keyOf(wallet: string, network: string | undefined): PassKey {
  const chain = network === undefined ? undefined : chainOf(network);
  if (network === undefined || chain === undefined) throw new Failure('name the network with --network');
  return { chain: chainWith(network), walletAddress: demandWallet(wallet, chain) };
}

function demandExpiry(expires: End | undefined): void {
  if (expires === undefined) throw new Failure('name the expiry with --expires');
}

/** The options of one pass. A name of null removes it. */
type OnePass = Omit<PassOptions, OwnName> & Readonly<Partial<Record<OwnName, string | null | undefined>>>;

/** Changes one pass and prints it. A refusal of this pass is a failure of the pass, not of the command. */
async function changeOne(verb: Verb, key: PassKey, options: OnePass, session: Session): Promise<ExitCode> {
  if (verb === 'set-expiry') demandExpiry(options.expires);
  for (const name of OWN_NAMES)
    if (verb === `set-${name}` && options[name] === undefined)
      throw new Failure(`name the ${name} with --${name}, or remove it with --remove`);
  try {
    const gatepass = session.connect();
    const expiryTimestamp = options.expires && (await secondsOf(options.expires, gatepass));
    const pass = await requestChange(verb, key, { ...options, expiryTimestamp }, gatepass);
    if (options.json) session.stdout.printJson(pass);
    else session.stdout.print(lineOf(pass));
    return EXIT.done;
  } catch (fault) {
    const isOfPass =
      fault instanceof PassFailed || (fault instanceof GatepassProblem && [404, 409, 429].includes(fault.status));
    if (!isOfPass) throw fault;
    session.stderr.print(describeFault(fault));
    return EXIT.someFailed;
  }
}

function requestChange(
  verb: Verb,
  key: PassKey,
  { wait, expiryTimestamp, reason, reference, subject }: OnePass & { readonly expiryTimestamp: number | undefined },
  gatepass: Gatepass,
): Promise<Pass> {
  if (verb === 'set-reference' && reference !== undefined) return gatepass.update(key, { reference });
  if (verb === 'set-subject' && subject !== undefined) return gatepass.update(key, { subject });
  if (verb === 'issue') {
    const named = { expiryTimestamp, reference: reference ?? undefined, subject: subject ?? undefined };
    return wait ? gatepass.issueAndWait(key, named) : gatepass.issue(key, named);
  }
  if (verb === 'revoke') return wait ? gatepass.revokeAndWait(key, { reason }) : gatepass.revoke(key, { reason });
  const state = REQUESTED[verb].state;
  const update = (
    state === undefined ? { expiryTimestamp } : { state, ...(reason !== undefined && { reason }) }
  ) as PassUpdate;
  return wait ? gatepass.updateAndWait(key, update) : gatepass.update(key, update);
}

function lineOf(pass: Pass): string {
  const { walletAddress, chain, state, onChainState, reference, subject } = pass;
  return [
    walletAddress,
    chain.network,
    state,
    `on chain ${onChainState}`,
    reference,
    subject,
    newestTransactionOf(pass),
  ]
    .filter(Boolean)
    .join('  ');
}

const EXAMPLES: Readonly<Record<Verb, string>> = {
  issue: `
Examples:
  gatepass issue 0x5290…9EE7 --network polygonMainnet
  gatepass issue --csv wallets.csv --network baseMainnet
  gatepass issue --csv tokens.csv            the file of the operator's scan

Rows with a state other than ACTIVE, and expired rows, get no pass.`,
  freeze: `
Examples:
  gatepass freeze --csv wallets.csv
  gatepass freeze --subject p-7f3c9a51e2     all passes of a person`,
  unfreeze: `
Example:
  gatepass unfreeze 0x5290…9EE7 --network polygonMainnet`,
  revoke: `
Example:
  gatepass revoke --csv wallets.csv --yes`,
  'set-reference': `
Examples:
  gatepass set-reference 0x5290…9EE7 --network polygonMainnet --reference order-4711
  gatepass set-reference 0x5290…9EE7 --network polygonMainnet --remove
  gatepass set-reference --csv orders.csv     the column reference has the names`,
  'set-subject': `
Examples:
  gatepass set-subject 0x5290…9EE7 --network polygonMainnet --subject p-7f3c9a51e2
  gatepass set-subject --csv persons.csv     the column subject has the names`,
  'set-expiry': `
Example:
  gatepass set-expiry --csv wallets.csv --expires 2027-12-31`,
};
