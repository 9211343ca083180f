/** `npm run verdict -- list|new|end`: the key with which a service signs verdicts, for contracts on any chain. */
import type { Command } from 'commander';
import type { Address } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { KmsFault } from '../src/chain/port.ts';
import { parseVerdictKeys } from '../src/config/gatekeeper.ts';
import { ConfigError } from '../src/config/variable.ts';
import { nowSeconds } from '../src/lib/units.ts';
import { npmCommand, repeated, runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { contractAddress, demandWith, filePath } from '../terminal/option-values.ts';
import { print } from '../terminal/print.ts';
import { confirm } from './confirm.ts';
import { printPlan } from './dry-run.ts';
import { openSecrets } from './emergency/service.ts';
import { credentialsIn } from './kms/credentials.ts';
import { probeKey } from './kms/probe.ts';
import { calldataFileFor } from './network/calldata.ts';
import { readPrivately } from './network/key-files.ts';
import { addSendOptions, type SendValues, sentOf } from './network/send-options.ts';
import { type Deployment, readDeployment } from './nodes/deployment.ts';
import { describeFault } from './nodes/node-error.ts';
import { reportCommand } from './report-command.ts';
import { addServiceOptions, type ServiceValues, serviceOf } from './service-options.ts';
import {
  type ChainOptions,
  changeContracts,
  demandOwner,
  lacking,
  openContracts,
  type VerdictsContract,
} from './verdict/contracts.ts';
import { awaitList, currentOf, type ListedKey, listOfService, secretOf } from './verdict/service.ts';

interface Values extends ServiceValues, SendValues {
  readonly secrets?: string;
  readonly authorityKeyFile?: readonly string[];
  readonly keyFile?: string;
}

const verdictCommand = (args: readonly string[]): Command => {
  const program = npmCommand(
    'verdict',
    'Creates, replaces and ends the key with which a service signs verdicts about passes.',
  );
  const verb = (name: string, description: string) =>
    addServiceOptions(program.command(name).description(description)).option(
      '--secrets <file>',
      'file with RPC_ENDPOINTS, in a format of `wrangler secret bulk`; default: environment variables',
      filePath,
    );
  const change = (name: string, description: string) =>
    addSendOptions(verb(name, description)).option(
      '--authority-key-file <file>',
      'key of the owner of the contracts that trust the keys. Only its owner may be able to read the file',
      repeated(filePath),
    );
  verb('list', 'Shows all verdict keys, and which of them each contract of the deployment trusts.').action(showKeys);
  change('new', 'Makes a new key the one that signs, and ends the one before. Each contract trusts the new key first.')
    .option(
      '--key-file <file>',
      'the key, 32 bytes in hex, or its reference in a KMS; default: a random key, which only the Worker gets',
      filePath,
    )
    .action((values: Values) => makeKey(values, args));
  change('end', 'Ends a key: the service signs nothing with it, its public list says so, and no contract trusts it.')
    .argument('<address>', 'the address of the key', contractAddress)
    .action((address: Address, values: Values) => endKey(address, values, args));
  return program;
};

/** The deployment, its contracts, and how the command changes them. */
function open(values: Values) {
  demandWith(values, 'secrets', 'env');
  const service = { ...serviceOf(values), secrets: values.secrets };
  const deployment = readDeployment(service);
  const { environment, localnet } = service;
  const source =
    environment === undefined
      ? ({ type: 'local', localnet } as const)
      : ({ type: 'environment', environment, secrets: values.secrets } as const);
  const { verdictContracts: addresses } = deployment;
  const chain: ChainOptions = {
    ...sentOf(values),
    keyFiles: values.authorityKeyFile ?? [],
    contracts: addresses,
    source,
  };
  const report = (args: readonly string[]) => reportCommand({ ...service, command: 'verdict', args });
  return { deployment, chain, contracts: openContracts(chain), report };
}

const lineOf = ({ address, from, until }: ListedKey) => {
  const day = (seconds: number) => new Date(seconds * 1000).toISOString();
  return `${address}: from ${day(from)}${until === undefined ? ', signs now' : `, ended ${day(until)}`}`;
};

async function showKeys(values: Values): Promise<void> {
  const { deployment, contracts } = open(values);
  const keys = await listOfService(deployment);
  print(...(keys.length === 0 ? ['The service has never had a verdict key.'] : keys.map(lineOf)));
  for (const { changed, trusts } of contracts) {
    const trusted = await Promise.all(keys.map(async ({ address }) => ((await trusts(address)) ? address : [])));
    print(`${changed.network}: ${changed.address} trusts ${trusted.flat().join(' ') || 'none of them'}`);
  }
}

async function makeKey(values: Values, args: readonly string[]): Promise<void> {
  const { deployment, chain, contracts, report } = open(values);
  if (chain.calldata !== undefined && values.keyFile === undefined)
    throw new Failure('--calldata requires --key-file: you run the command again when the contracts trust the key', 2);
  const text = values.keyFile === undefined ? generatePrivateKey() : readPrivately(values.keyFile).trim();
  const address = await addressOf(text, deployment);
  const known = await listOfService(deployment);
  if (known.some((key) => key.address === address))
    throw new Failure(`${address} is in the list already, and a key signs once only: make a new one`);
  const lacks = await lacking(contracts, [{ type: 'addKey', address }]);
  demandOwner(lacks, chain);
  const before = currentOf(known);
  const steps = [
    ...lacks.map(({ changed }) => `add it to ${changed.address} on ${changed.network}`),
    `set the secrets VERDICT_KEY and VERDICT_KEYS${before === undefined ? '' : `, by which ${before.address} ends`}`,
  ];
  print(values.keyFile === undefined ? 'The new key is a random one.' : `The new key is ${address}.`);
  if (chain.isDryRun) return printPlan(steps);
  await confirm(`${sentenceOf(steps)}?`, chain);
  await report(args);
  await changeContracts(lacks, chain);
  if (chain.calldata !== undefined && lacks.length > 0)
    return print('When the contracts trust the key, run the command again without --calldata.');
  const now = nowSeconds();
  const next = [...known.map((key) => ({ ...key, until: key.until ?? now })), { address, from: now }];
  await openSecrets(deployment).set({ VERDICT_KEY: text, VERDICT_KEYS: secretOf(next) });
  await awaitList(deployment, next);
  print(`${address} signs.`);
  if (before !== undefined && contracts.length > 0)
    print(
      `The last verdicts of ${before.address} end in ten minutes. Then remove it: npm run verdict -- end ${before.address}`,
    );
}

/** Returns the address of a key as the Worker reads it. A key in a KMS has signed a probe. Throws Failure if it is no key. */
async function addressOf(text: string, { secrets }: Deployment): Promise<Address> {
  try {
    const { key } = parseVerdictKeys({ VERDICT_KEY: text }, credentialsIn(secrets ?? process.env));
    if (key === undefined) throw new Failure('--key-file has no key', 2);
    if (key.kms !== undefined) await probeKey(key.kms, key.address, 'ethereum');
    return key.address as Address;
  } catch (fault) {
    if (fault instanceof ConfigError) throw new Failure(`--key-file: ${fault.message}`, 2);
    throw fault instanceof KmsFault ? new Failure(describeFault(fault)) : fault;
  }
}

async function endKey(address: Address, values: Values, args: readonly string[]): Promise<void> {
  const { deployment, chain, contracts, report } = open(values);
  demandOwner(contracts, chain);
  const known = await listOfService(deployment).catch((fault: Failure) => fault);
  const signs = known instanceof Error || currentOf(known)?.address === address;
  const steps = [
    ...(signs ? ['delete the secret VERDICT_KEY, and say in VERDICT_KEYS that it has ended'] : []),
    ...contracts.map(({ changed }) => `remove it from ${changed.address} on ${changed.network}`),
  ];
  if (known instanceof Error) print(`${known.message}: its list can only be changed when it does.`);
  else if (!signs) print(`The service does not sign with ${address}.`);
  if (chain.isDryRun) return printPlan(steps);
  if (steps.length === 0) return;
  await confirm(`End ${address}: ${sentenceOf(steps)}?`, chain);
  // No part waits for another one, or for its fault: somebody else may have the key.
  const works = [
    ...(signs ? [stopSigning(address, known, deployment)] : []),
    ...contracts.map((contract) => removeFrom(contract, address, chain, contracts.length === 1)),
  ];
  const faults = (await Promise.allSettled(works)).flatMap((each) =>
    each.status === 'rejected' ? [describeFault(each.reason)] : [],
  );
  await report(args);
  if (faults.length > 0) throw new Failure(`${faults.join('; ')}. Run the command again`);
  print(
    chain.calldata === undefined ? `${address} has ended.` : `${address} has ended when the owner has sent the calls.`,
  );
}

/** Removes the key from one contract. The operator has confirmed it, and each network has a file of transactions of its own. */
async function removeFrom(contract: VerdictsContract, address: Address, chain: ChainOptions, isOnly: boolean) {
  const { network } = contract.changed;
  const open = await lacking([contract], [{ type: 'removeKey', address }]);
  const fileOf = (file: string) => calldataFileFor(file, network, isOnly);
  const calldata = chain.calldata && fileOf(chain.calldata);
  await changeContracts(open, { ...chain, yes: true, state: fileOf(chain.state), calldata });
}

async function stopSigning(address: string, known: readonly ListedKey[] | Failure, deployment: Deployment) {
  const secrets = openSecrets(deployment);
  const hasKey = await secrets.hasSecret('VERDICT_KEY');
  const deleted = hasKey ? { VERDICT_KEY: null } : {};
  if (known instanceof Error) {
    if (hasKey) await secrets.set(deleted);
    throw new Failure('VERDICT_KEY is deleted, and the public list does not say it yet');
  }
  const until = nowSeconds();
  const next = known.map((key) => (key.address === address ? { ...key, until } : key));
  await secrets.set({ ...deleted, VERDICT_KEYS: secretOf(next) });
  await awaitList(deployment, next);
}

const sentenceOf = (steps: readonly string[]) => steps.join('; ').replace(/^./, (first) => first.toUpperCase());

/** Runs the command, prints its progress, and returns the exit code. */
export const runVerdictCommand = (args: readonly string[]): Promise<number> =>
  runNpmCommand(verdictCommand(args), args);

if (import.meta.main) process.exitCode = await runVerdictCommand(process.argv.slice(2));
