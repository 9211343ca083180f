import { type Command, InvalidArgumentError, Option } from 'commander';
import * as v from 'valibot';
import { wholeNumber } from '../../packages/cli/src/parse-number.ts';
import { type RulesBody, SUBJECT_MAX_PASSES } from '../../src/http/schemas/managing.ts';
import type { Contracts } from '../../src/network/network.ts';
import { findNetwork, NETWORKS } from '../../src/network/networks.ts';
import {
  DAILY_MAX,
  fitsSandbox,
  LIFETIME_MAX_SECONDS,
  PARTNER_RULES,
  type PartnerBody,
  type PartnerChangeBody,
  SANDBOX_RULE,
} from '../../src/operator/partner-requests.ts';
import { npmCommand, type Run } from '../../terminal/command.ts';
import { Failure } from '../../terminal/failure.ts';
import { filePath, gatekeeperNetwork, networkName, OPERATORS_TOKEN } from '../../terminal/option-values.ts';
import { type DryRunValues, dryRunOption } from '../dry-run.ts';
import type { DeploymentOptions } from '../nodes/deployment.ts';
import { addServiceOptions, type ServiceValues, serviceOf } from '../service-options.ts';

type NewPartner = v.InferInput<typeof PartnerBody>;
type PartnerSettings = v.InferInput<typeof PartnerChangeBody>;
type RulesChange = v.InferInput<typeof RulesBody>;

/** A parsed command, with the service that it calls. */
export type PartnerCommand = { readonly service: DeploymentOptions } & DryRunValues &
  (
    | { readonly type: 'add'; readonly partner: NewPartner }
    | { readonly type: 'set'; readonly clientId: string; readonly settings: PartnerSettings }
    | { readonly type: 'list' }
    | { readonly type: 'export'; readonly file: string }
    | { readonly type: 'import'; readonly file: string; readonly reason?: string | undefined }
    | {
        readonly type: 'network';
        readonly gatekeeperNetwork: string;
        readonly isPublic: boolean;
        readonly reason?: string | undefined;
      }
    | { readonly type: 'show-rules'; readonly gatekeeperNetwork: string }
    | { readonly type: 'rules'; readonly gatekeeperNetwork: string; readonly change: RulesChange }
    | { readonly type: 'suspend' | 'resume'; readonly clientId: string; readonly reason?: string | undefined }
  );

type Values = ServiceValues & DryRunValues;
type Reasoned = Values & { readonly reason?: string };

/** The operator must name every limit of a new partner. This word says that there is none. */
export const UNLIMITED = 'unlimited';

/** The options with the settings of a partner. `add` requires the limits, and `set` changes the given ones. */
const settingOptions = () => ({
  limits: [
    new Option('--networks <list>', `where it may issue passes: sepolia,baseSepolia or ${UNLIMITED}`).argParser(
      orNone(UNLIMITED, networkNames),
    ),
    new Option(
      '--daily-issuances <number>',
      `how many passes it may issue per day (UTC): 0 (none at all) to ${DAILY_MAX}, or ${UNLIMITED}`,
    ).argParser(orNone(UNLIMITED, wholeNumber(0, DAILY_MAX))),
    new Option(
      '--daily-changes <number>',
      `how many changes it may request per day (UTC), or ${UNLIMITED}; revoking is always possible`,
    ).argParser(orNone(UNLIMITED, wholeNumber(0, DAILY_MAX))),
  ],
  others: [
    new Option(
      '--lifetime <seconds>',
      `how long its new passes are valid by default, at most ${LIFETIME_MAX_SECONDS} (a hundred years), or ${UNLIMITED}`,
    ).argParser(orNone(UNLIMITED, wholeNumber(1, LIFETIME_MAX_SECONDS))),
    new Option('--organization <id>', 'whose members may sign in to the console for it, or none').argParser(
      orNone('none', byRule(PARTNER_RULES.organization)),
    ),
  ],
});

interface RuleSwitch {
  readonly subjectRequired?: 'on' | 'off';
}

const ofRule = orNone('none', wholeNumber(1, SUBJECT_MAX_PASSES));

/** The rules for subjects. A rule below what exists ends no pass. */
const RULES = [
  new Option(
    '--subject-max-passes <number>',
    `how many passes of a subject may count: 1 to ${SUBJECT_MAX_PASSES}, or none for no rule; it ends no pass`,
  ).argParser(ofRule),
  new Option('--subject-max-passes-per-network <number>', 'the same on each network').argParser(ofRule),
  new Option('--subject-required <on|off>', 'on: each issuance must name a subject').choices(['on', 'off']),
];

const REASON = 'why, for the audit trail';

/** Returns the command with its verbs. */
export function partnerCommand(run: Run<PartnerCommand>): Command {
  const program = npmCommand('partner', `Manages the partners, through the admin API. ${OPERATORS_TOKEN}`);
  const verb = (name: string, description: string) => addServiceOptions(program.command(name).description(description));
  const reasoned = (name: string, description: string) =>
    verb(name, description).option('--reason <text>', REASON, byRule(PARTNER_RULES.reason)).addOption(dryRunOption());

  const adding = reasoned('add', 'Registers a partner.')
    .requiredOption('--client-id <id>', 'its OAuth client', byRule(PARTNER_RULES.clientId))
    .requiredOption('--name <name>', 'its name', byRule(PARTNER_RULES.name))
    .option('--gatekeeper-network <key>', 'the public key of its gatekeeper network', gatekeeperNetwork)
    .addOption(
      new Option(
        '--sandbox',
        'all its networks are simulated: it needs no key, no endpoint and no gas. Without --gatekeeper-network, the sandbox is new. ' +
          'Without them, its limits are unlimited',
      ).implies({ networks: NONE, dailyIssuances: NONE, dailyChanges: NONE }),
    )
    .option(
      '--shard <name>',
      'binding of the database for its passes, for example DB_1; default: the shard that already holds passes of the ' +
        'gatekeeper network, or DB if there is none',
      byRule(PARTNER_RULES.shard),
    )
    .addOption(
      new Option(
        '--contract <network=address>',
        'contract of its passes on an Ethereum-type network, which never changes; may be repeated; default: the one that the ' +
          'gatekeeper network already has, or the default contract of the network at the first issuance',
      ).argParser(addContract),
    )
    .action(({ contract: contracts, ...values }: Values & NewPartner & { readonly contract?: Contracts }) => {
      const partner = { ...partnerOf(values), ...(contracts && { contracts }) };
      if (!fitsSandbox(partner)) throw new Failure(`--gatekeeper-network ${SANDBOX_RULE}: see --sandbox`, 2);
      return run({ type: 'add', ...targetOf(values), partner });
    });
  const { limits, others } = settingOptions();
  for (const option of [...limits.map((limit) => limit.makeOptionMandatory()), ...others]) adding.addOption(option);

  const settings = Object.values(settingOptions()).flat();
  const setting = reasoned('set', 'Changes settings of a partner. An omitted setting does not change.')
    .argument('<client-id>', 'its OAuth client', byRule(PARTNER_RULES.clientId))
    .option('--name <name>', 'its name', byRule(PARTNER_RULES.name))
    .action((id: string, values: Values & PartnerSettings) => {
      const { reason, ...given } = partnerOf(values);
      if (Object.keys(given).length === 0)
        throw new Failure(`set needs at least one of --name, ${settings.map(({ long }) => long).join(', ')}`, 2);
      return run({
        type: 'set',
        ...targetOf(values),
        clientId: id,
        settings: { ...given, ...(reason !== undefined && { reason }) },
      });
    });
  for (const option of settings) setting.addOption(option);

  verb('list', 'Lists the partners.').action((values: Values) => run({ type: 'list', ...targetOf(values) }));

  verb('export', 'Writes all partners to a new file.')
    .argument('<file>', 'the new file', filePath)
    .action((file: string, values: Values) => run({ type: 'export', ...targetOf(values), file }));

  reasoned('import', 'Adds the partners of an exported file, and overwrites the ones that exist.')
    .argument('<file>', 'the exported file', filePath)
    .action((file: string, values: Reasoned) =>
      run({ type: 'import', ...targetOf(values), file, reason: values.reason }),
    );

  reasoned('network', 'Sets whether anybody may check the passes of a gatekeeper network.')
    .argument('<key>', 'the gatekeeper network', gatekeeperNetwork)
    .addOption(new Option('--public-verify <on|off>', 'on: anybody may').choices(['on', 'off']).makeOptionMandatory())
    .action((key: string, values: Reasoned & { readonly publicVerify: 'on' | 'off' }) =>
      run({
        type: 'network',
        ...targetOf(values),
        gatekeeperNetwork: key,
        isPublic: values.publicVerify === 'on',
        reason: values.reason,
      }),
    );

  const ruling = reasoned('rules', 'Shows the rules of a gatekeeper network for subjects, or changes the named ones.')
    .argument('<key>', 'the gatekeeper network', gatekeeperNetwork)
    .action(
      (key: string, { subjectRequired, ...values }: Values & Omit<RulesChange, 'subjectRequired'> & RuleSwitch) => {
        const { reason, ...limits } = partnerOf(values);
        const rules = { ...limits, ...(subjectRequired && { subjectRequired: subjectRequired === 'on' }) };
        const target = { ...targetOf(values), gatekeeperNetwork: key };
        const isChange = Object.keys(rules).length > 0;
        if (!isChange && (reason !== undefined || target.dryRun))
          throw new Failure(`a change needs at least one of ${RULES.map(({ long }) => long).join(', ')}`, 2);
        if (!isChange) return run({ type: 'show-rules', ...target });
        return run({ type: 'rules', ...target, change: { ...rules, ...(reason !== undefined && { reason }) } });
      },
    );
  for (const rule of RULES) ruling.addOption(rule);

  for (const [type, description] of STATUSES)
    reasoned(type, description)
      .argument('<client-id>', 'its OAuth client', byRule(PARTNER_RULES.clientId))
      .action((id: string, values: Reasoned) =>
        run({ type, ...targetOf(values), clientId: id, reason: values.reason }),
      );
  return program;
}

const STATUSES = [
  ['suspend', 'Refuses the requests of a partner.'],
  ['resume', 'Ends the suspension of a partner.'],
] as const;

function targetOf({ dryRun, ...values }: Values): Pick<PartnerCommand, 'service' | 'dryRun'> {
  return { service: serviceOf(values), ...(dryRun && { dryRun }) };
}

/** Returns the values of the partner, under the names of the API. */
function partnerOf<T extends Values & { readonly lifetime?: number | null }>({
  local,
  localnet,
  env,
  url,
  dryRun,
  lifetime,
  ...values
}: T) {
  const entries: [string, unknown][] = Object.entries({
    ...values,
    ...(lifetime !== undefined && { passLifetime: lifetime }),
  });
  return Object.fromEntries(entries.map(([name, value]) => [name, value === NONE ? null : value])) as Omit<
    T,
    keyof Values | 'lifetime'
  > & { readonly passLifetime?: number | null };
}

/** Means null, which commander would replace by an empty text. */
const NONE = Symbol('none');

/** Returns a parser for which the word means that there is none. */
function orNone<T>(word: string, parse: (text: string) => T): (text: string) => T | typeof NONE {
  return (text) => (text === word ? NONE : parse(text));
}

/** Returns a parser that applies a rule of the API. */
function byRule(rule: v.GenericSchema<string, string>): (text: string) => string {
  return (text) => {
    const result = v.safeParse(rule, text, { abortPipeEarly: true });
    if (result.success) return result.output;
    throw new InvalidArgumentError(`It ${result.issues[0].message}.`);
  };
}

const contractAddress = byRule(PARTNER_RULES.contract);

/** Returns the contracts with the one of a further option. */
function addContract(text: string, others: Contracts = {}): Contracts {
  const [name = '', address, ...rest] = text.split('=');
  if (address === undefined || rest.length > 0) throw new InvalidArgumentError('It must be NETWORK=ADDRESS.');
  const contract = contractAddress(address);
  if (findNetwork(NETWORKS, 'ethereum', networkName(name)) === undefined)
    throw new InvalidArgumentError(
      `Passes on ${name} have no contract of their own: it is the program of the network.`,
    );
  if (others[name] !== undefined && others[name] !== contract)
    throw new InvalidArgumentError(`It names two contracts on ${name}.`);
  return { ...others, [name]: contract };
}

const networkNames = (list: string): string[] => [...new Set(list.split(',').map((name) => networkName(name.trim())))];
