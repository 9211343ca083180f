/** `npm run key`: prints the references of keys in a KMS with their addresses, as the secrets of the Worker need them. */
import { type Command, Option } from 'commander';
import { KmsFault } from '../src/chain/port.ts';
import { formatKmsText, type KmsCredentials, parseKmsText } from '../src/config/kms.ts';
import { npmCommand, type Run, runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { filePath, LOCALNET_FILE } from '../terminal/option-values.ts';
import { print } from '../terminal/print.ts';
import { credentialsIn, demandCredentials } from './kms/credentials.ts';
import { findAddress, probeKey } from './kms/probe.ts';
import { readDeployment, readSecrets } from './nodes/deployment.ts';
import { describeFault } from './nodes/node-error.ts';

interface KeyOptions {
  readonly references: readonly string[];
  readonly local?: true;
  readonly secrets?: string;
}

export const keyCommand = (run: Run<KeyOptions>): Command =>
  npmCommand('key', 'Prints references of keys in a KMS with their addresses, after each key has signed a probe.')
    .argument('<reference...>', 'aws-kms:ARN or gcp-kms:NAME, with or without #ADDRESS')
    .option('--secrets <file>', 'file with KMS_CREDENTIALS; default: the environment variable of that name', filePath)
    .addOption(new Option('--local', 'the KMS of a running `npm run dev`').conflicts('secrets'))
    .action((references: readonly string[], values: Omit<KeyOptions, 'references'>) => run({ references, ...values }));

async function printKeys({ references, local, secrets }: KeyOptions): Promise<void> {
  const localnet = { environment: undefined, localnet: LOCALNET_FILE, secrets: undefined, url: undefined };
  const known = local ? readDeployment(localnet).secrets : secrets === undefined ? process.env : readSecrets(secrets);
  const credentials = credentialsIn(known);
  for (const reference of references) print(await completeReference(reference, credentials));
}

/** Returns the reference with the address of the key. The key has signed a probe, which can be no transaction. */
async function completeReference(text: string, credentials: KmsCredentials): Promise<string> {
  const parsed = parseKmsText(text);
  if (parsed === undefined)
    throw new Failure(`${text} is no reference: write aws-kms:ARN, or gcp-kms: with the name of a version of a key`, 2);
  const key = demandCredentials(parsed.key, credentials);
  try {
    const { chain, address } = await findAddress(key);
    if (parsed.address !== '' && parsed.address !== address)
      throw new Failure(`the KMS holds the key of ${address}, not that of ${parsed.address}`);
    await probeKey(key, address, chain);
    return formatKmsText(parsed.key, address);
  } catch (fault) {
    throw fault instanceof KmsFault ? new Failure(`${parsed.key.name}: ${describeFault(fault)}`) : fault;
  }
}

/** Runs the command, and returns the exit code. */
export const runKeyCommand = (args: readonly string[]): Promise<number> => runNpmCommand(keyCommand(printKeys), args);

if (import.meta.main) process.exitCode = await runKeyCommand(process.argv.slice(2));
