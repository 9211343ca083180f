import { type Command, InvalidArgumentError } from 'commander';
import { isKmsText } from '../../src/config/kms.ts';
import { npmCommand, type Run, repeated } from '../../terminal/command.ts';
import {
  filePath,
  gatekeeperNetwork,
  type NodeUrl,
  networkName,
  nodeUrl,
  serviceUrl,
} from '../../terminal/option-values.ts';
import { type DryRunValues, dryRunOption } from '../dry-run.ts';
import { UNLIMITED } from '../partner/commands.ts';
import { ISSUERS } from './issuers.ts';

/** How a chain gets its gatekeeper key: a new one, the reference of a key in a KMS, or none. */
export type KeyChoice = 'new' | 'none' | { readonly reference: string };

export interface SetupOptions extends DryRunValues {
  readonly env: string;
  readonly set?: readonly (readonly [name: string, value: string])[];
  readonly secrets?: string;
  readonly ethereumKey?: KeyChoice;
  readonly solanaKey?: KeyChoice;
  readonly kmsCredentials?: string;
  readonly rpc?: readonly NodeUrl[];
  readonly route?: string;
  readonly url?: string;
  readonly clientId?: string;
  readonly name?: string;
  readonly gatekeeperNetwork?: string;
  readonly sandbox?: boolean;
  readonly networks?: string;
  readonly dailyIssuances?: string;
  readonly dailyChanges?: string;
}

export const setupCommand = (run: Run<SetupOptions>): Command =>
  npmCommand(
    'setup',
    'Sets up a deployment: its values, secrets, databases, queues, the first release and the first partner. It asks for the values that no ' +
      'option gives. Run it again after any failure: it continues, and creates nothing twice.',
  )
    .requiredOption('--env <name>', 'the deployment: its values will be in deployments/NAME.toml', deploymentName)
    .addOption(dryRunOption())
    .option('--set <variable=value>', 'a variable of the deployment; repeat it for several', repeated(variable))
    .option('--route <host>', 'the custom domain of the service; without it, the service runs at workers.dev', host)
    .option('--secrets <file>', 'the file with the secrets, created if it is missing; default: NAME.secrets', filePath)
    .option(
      '--ethereum-key <key>',
      'new, none, or the reference of a key in a KMS that `npm run key` prints',
      keyChoice,
    )
    .option('--solana-key <key>', 'new, none, or the reference of a key in a KMS', keyChoice)
    .option('--kms-credentials <file>', 'file with the JSON of KMS_CREDENTIALS', filePath)
    .option('--rpc <network=url>', 'an endpoint of a network; repeat it for several', repeated(nodeUrl))
    .option('--client-id <id>', 'the OAuth client of the first partner')
    .option('--name <name>', 'the name of the first partner')
    .option('--gatekeeper-network <key>', 'its gatekeeper network', gatekeeperNetwork)
    .option(
      '--sandbox',
      'the first partner gets a sandbox: all its networks are simulated, and its limits are unlimited',
    )
    .option('--networks <names>', 'its networks, separated by commas, or unlimited', networkNames)
    .option('--daily-issuances <number>', 'how many passes it may issue per day, or unlimited')
    .option('--daily-changes <number>', 'how many changes it may request per day, or unlimited')
    .option('--url <url>', 'URL of the service; default: PUBLIC_ORIGIN and BASE_PATH of the deployment', serviceUrl)
    .addHelpText(
      'after',
      `\nAuthorization servers with known settings: ${ISSUERS.map(({ issuer }) => issuer).join('; ')}`,
    )
    .action(run);

function deploymentName(text: string): string {
  if (/^[a-z0-9-]+$/.test(text) && text !== 'example') return text;
  throw new InvalidArgumentError('It must have only small letters, digits and hyphens, and not be "example".');
}

/** Parses the networks of a partner. Returns them as `npm run partner` takes them. */
export const networkNames = (text: string): string =>
  text === UNLIMITED
    ? text
    : text
        .split(',')
        .map((name) => networkName(name.trim()))
        .join(',');

function variable(text: string): readonly [string, string] {
  const [, name = '', value = ''] = /^([A-Z_]+)=(.*)$/s.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('It must be like TOKEN_ISSUER=https://acme.eu.auth0.com/.');
  return [name, value];
}

function host(text: string): string {
  if (/^[a-z0-9.-]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a host name, like api.acme.com.');
}

/** Parses the choice of a key. */
export function keyChoice(text: string): KeyChoice {
  if (text === 'new' || text === 'none') return text;
  if (isKmsText(text)) return { reference: text };
  throw new InvalidArgumentError(
    'It must be new, none, or the reference of a key in a KMS. A key itself belongs in a file.',
  );
}
