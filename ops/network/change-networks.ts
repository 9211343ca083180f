import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../scripts/failure.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { confirm } from '../confirm.ts';
import { writeNewFile } from '../files.ts';
import { nodeErrorIn } from '../nodes/node-error.ts';
import { openNodes } from '../nodes/open-nodes.ts';
import { calldataFileFor, safeBatchOf } from './calldata.ts';
import { describeChange, isDone } from './change.ts';
import type { ChangeCommand } from './commands.ts';
import { type Gateway, readStanding } from './gateway.ts';
import { readKeyFiles } from './key-files.ts';
import { openTargets, type PlannedTarget, planChanges } from './plan-changes.ts';
import { earlierTransactions, finishEarlierRun, type Run, sendChanges } from './send-changes.ts';
import { onEach, type Target, tell } from './targets.ts';
import { TransactionsFile } from './transactions-file.ts';

/** A target with the account that sends its transactions. */
type Sending<T extends Target> = T & { readonly run: Run };

/**
 * Makes the changes of the command on all named networks, or writes their calls. It reads first and makes only the changes that
 * are missing. Throws Failure before the first transaction if one is impossible.
 */
export async function changeNetworks(command: ChangeCommand): Promise<void> {
  const nodes = openNodes(command.nodes);
  const targets = openTargets(command, nodes);
  const keys = readKeyFiles(command.keyFiles);
  const account = command.authority ?? keys.ethereum?.address;
  const { key, calldata } = command;
  if (calldata !== undefined) {
    const planned = await planChanges(command, nodes, targets, account);
    return writeCalldata(planned, key, (network) => calldataFileFor(calldata, network, targets.length === 1));
  }

  const senders = targets.map(({ opened }) => opened.senderFor(keys));
  const file = await TransactionsFile.open(command.state);
  try {
    const runs = senders.map((sender): Run => ({ sender, gatekeeperNetwork: key, file, tell }));
    const runOf = (target: Target) => runs.find(({ sender }) => sender.gateway === target.opened.gateway) as Run;
    await continueEarlierRun(
      command,
      targets.map((target) => ({ ...target, run: runOf(target) })),
    );
    const planned = await planChanges(command, nodes, targets, account);
    await sendPlanned(
      command,
      planned.map((target) => ({ ...target, run: runOf(target) })),
      account,
    );
  } finally {
    file.close();
  }
}

async function sendPlanned(
  command: ChangeCommand,
  planned: readonly Sending<PlannedTarget>[],
  account: string | undefined,
): Promise<void> {
  if (planned.length === 0) return tell('Nothing to send.');
  tell(...(await onEach(planned, readCosts)).flat());
  const count = planned.reduce((sum, { changes }) => sum + changes.length, 0);
  await confirm(count === 1 ? 'Send this transaction?' : `Send these ${count} transactions?`, command);
  await onEach(planned, ({ run, changes }) => sendChanges(run, changes));
  await onEach(planned, (target) => demandDone(target, command, account));
}

/** Sends the transactions of an earlier run again, after the operator has seen them. */
async function continueEarlierRun(command: ChangeCommand, targets: readonly Sending<Target>[]): Promise<void> {
  const earlier = targets.flatMap(({ run }) => earlierTransactions(run));
  if (earlier.length === 0) return;
  const other = earlier.find(({ gatekeeperNetwork }) => gatekeeperNetwork !== command.key);
  if (other)
    throw new Failure(
      `--state has a transaction of ${other.gatekeeperNetwork}: finish that command first, or name another file`,
    );
  tell('An earlier run has not finished:');
  for (const { network, change, identifier } of earlier) tell(`  ${network}: ${change} (${identifier})`);
  await confirm('Send these transactions again?', command);
  await onEach(targets, ({ run }) => finishEarlierRun(run));
}

/** Returns the lines that say what will be sent and what it costs. Throws Failure if the account cannot pay. */
async function readCosts({ opened: { gateway }, run: { sender }, changes }: Sending<Target>): Promise<string[]> {
  const [costs, funds] = await Promise.all([sender.estimate(changes), sender.readFunds()]);
  const total = costs.reduce((sum, cost) => sum + cost, 0n);
  if (total > funds)
    throw new Failure(
      `no funds: ${sender.account} has ${sender.formatAmount(funds)} and needs ${sender.formatAmount(total)}`,
    );
  const lines = changes.map(
    (change, index) => `  ${describeChange(change)}, for about ${sender.formatAmount(costs[index] ?? 0n)}`,
  );
  return [`${gateway.network}, from ${sender.account} to ${gateway.address}:`, ...lines];
}

function writeCalldata(planned: readonly Target[], key: string, fileFor: (network: string) => string): void {
  if (planned.length === 0) tell('Nothing to write.');
  for (const { opened, changes } of planned) {
    const { gateway, nodes, encode } = opened;
    const { network } = nodes;
    if (network.chain !== 'ethereum' || encode === undefined) continue;
    const calls = changes.map((change) => ({ change, data: encode(change) }));
    const name = fileFor(gateway.network);
    writeNewFile(name, safeBatchOf(network, gateway.address, key, calls), { exitCode: 1 });
    tell(`${gateway.network}: wrote the calls to ${name}. Nothing was sent.`);
  }
}

/** A node may be behind the one that showed the transactions as final. */
const READINGS_UNTIL_MISSING = 5;

/** Throws Failure if the chain lacks a change, or if somebody else became an authority while this run created the slot. */
async function demandDone(
  { opened: { gateway }, changes, standing: before }: PlannedTarget,
  { type }: ChangeCommand,
  account: string | undefined,
): Promise<void> {
  let missing = changes;
  for (let reading = 0; missing.length > 0 && reading < READINGS_UNTIL_MISSING; reading += 1) {
    if (reading > 0) await sleep(gateway.blockMs);
    const standing = await readStanding(gateway, changes);
    missing = changes.filter((change) => !isDone(change, standing));
  }
  if (missing.length > 0)
    throw new Failure(`the chain does not show the change: ${missing.map(describeChange).join('; ')}`);
  if (type === 'create') await demandOnlyAuthority(gateway, before.block, account);
  tell(`${gateway.network}: done and final`);
}

/** Throws Failure if somebody else became an authority since that block. Some providers do not show the logs that tell. */
async function demandOnlyAuthority(gateway: Gateway, since: number, account: string | undefined): Promise<void> {
  try {
    const foreign = (await gateway.readNewAuthorities?.(since))?.find((each) => each !== account);
    if (foreign === undefined) return;
    throw new Failure(`${foreign} became an authority too, because it took the slot first: use a new key from keygen`);
  } catch (fault) {
    if (!(fault instanceof RpcFault)) throw fault;
    tell(`${gateway.network}: no node shows whether somebody else became an authority (${nodeErrorIn(fault)})`);
  }
}
