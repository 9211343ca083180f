import { setTimeout as sleep } from 'node:timers/promises';
import { RpcFault } from '../../src/chain/port.ts';
import { Failure } from '../../terminal/failure.ts';
import { nodeErrorIn } from '../nodes/node-error.ts';
import { openNodes } from '../nodes/open-nodes.ts';
import { calldataFileFor, writeSafeBatch } from './calldata.ts';
import { describeChange } from './change.ts';
import type { ChangeCommand } from './commands.ts';
import type { Gateway } from './gateway.ts';
import { readKeyFiles } from './key-files.ts';
import { confirmContracts, type GatewayTarget, openTargets, type Planned, planChanges } from './plan-changes.ts';
import { sendChanges } from './send-changes.ts';
import { confirmCosts, withRuns } from './send-targets.ts';
import { onEach, tell } from './targets.ts';

/**
 * Makes the changes of the command on all named networks, or writes their calls. It reads first and makes only the changes that
 * are missing. Throws Failure before the first transaction if one is impossible.
 * @param report Records the command before its first transaction.
 */
export async function changeNetworks(command: ChangeCommand, report: () => Promise<void> | undefined): Promise<void> {
  const nodes = openNodes(command.nodes);
  const targets = openTargets(command, nodes);
  const keys = readKeyFiles(command.keyFiles, command.nodes.source);
  if (command.type === 'create') await confirmContracts(command, targets);
  const account = command.authority ?? keys.ethereum?.address;
  const { key, calldata } = command;
  if (calldata !== undefined) {
    const planned = await planChanges(command, nodes, targets, account);
    return writeCalldata(planned, key, (network) => calldataFileFor(calldata, network, targets.length === 1));
  }
  const senderFor = ({ opened }: GatewayTarget) => opened.senderFor(keys);
  await withRuns(targets, senderFor, { ...command, subject: key, tell }, async (sending) => {
    const planned = await planChanges(command, nodes, sending, account);
    if (planned.length === 0) return tell('Nothing to send.');
    if (!(await confirmCosts(planned, { ...command, tell }))) return;
    await report();
    await onEach(planned, ({ run, changes }) => sendChanges(run, changes));
    await onEach(planned, (target) => demandDone(target, command, account));
  });
}

function writeCalldata(planned: readonly GatewayTarget[], key: string, fileFor: (network: string) => string): void {
  if (planned.length === 0) tell('Nothing to write.');
  for (const { changed, opened, changes } of planned) {
    const { nodes, callOf } = opened;
    const { network } = nodes;
    if (network.chain !== 'ethereum' || callOf === undefined) continue;
    const calls = changes.map((change) => ({ ...callOf(change), text: changed.describe(change) }));
    writeSafeBatch(fileFor(changed.network), network, `Gatekeeper network ${key}`, calls);
  }
}

/** A node may be behind the one that showed the transactions as final. */
const READINGS_UNTIL_MISSING = 5;

/** Throws Failure if the chain lacks a change, or if somebody else became an authority while this run created the slot. */
async function demandDone(
  { changed, opened: { gateway }, changes, standing: before }: Planned<GatewayTarget>,
  { type }: ChangeCommand,
  account: string | undefined,
): Promise<void> {
  let missing = changes;
  for (let reading = 0; missing.length > 0 && reading < READINGS_UNTIL_MISSING; reading += 1) {
    if (reading > 0) await sleep(changed.blockMs);
    missing = await changed.findMissing(changes);
  }
  if (missing.length > 0)
    throw new Failure(`the chain does not show the change: ${missing.map(describeChange).join('; ')}`);
  if (type === 'create') await demandOnlyAuthority(gateway, before.block, account);
  tell(`${changed.network}: done and final`);
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
