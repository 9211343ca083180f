import { configOf } from '../config/parse-config.ts';
import { chooseSigner, hasKeyOf, isCompromised, isTestSlotOnMainnet } from '../config/signers.ts';
import { type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { within } from '../lib/with-timeout.ts';
import { log, logFault, logSampled } from '../log/log.ts';
import { formatSignerName, parseSignerName, type SignerName } from '../network/network.ts';
import { findNetwork } from '../network/networks.ts';
import { rulesFor } from '../network/sandbox.ts';
import { derivesSmallSlot } from '../network/slot.ts';
import { changeSigner, type IssuerKey, needsStep } from '../pass/next-step.ts';
import { type Pass, type PassKey, passName } from '../pass/pass.ts';
import type { Answer } from '../pass/step.ts';
import type { PinResult, RecordResult } from './results.ts';

/** The choice of the signer that serves a pass. */

/**
 * Returns the signer of a new pass; undefined in these cases:
 * - The network is not enabled, or not for this gatekeeper network.
 * - No key on the network accepts new passes.
 */
export function signerForNew(key: PassKey, env: Env): SignerName | undefined {
  const config = configOf(env);
  const network = findNetwork(config.networks, key.chain, key.network);
  if (network === undefined || derivesSmallSlot(key.gatekeeperNetwork)) return undefined;
  if (isTestSlotOnMainnet(config, network, key.gatekeeperNetwork)) return undefined;
  return chooseSigner(config, network, passName(key), key.gatekeeperNetwork);
}

/**
 * Returns the pass with the signer of the key that issued its token, because on Solana no other key can freeze and unfreeze
 * it. Returns the pass unchanged in these cases:
 * - This service does not have that key.
 * - The current signer has a step of the pass, pinned or past.
 */
export function reassignSigner(pass: Pass, env: Env): Pass {
  const { key, onChain, step, past = [] } = pass;
  if (onChain.issuer === undefined || step !== undefined || past.length > 0) return pass;
  const signer = formatSignerName(key.chain, key.network, onChain.issuer);
  if (!hasKeyOf(configOf(env), signer)) return pass;
  return { ...pass, signer, onChain: { ...onChain, foreign: undefined, issuer: undefined } };
}

/**
 * Returns the pass with a signer that may do its next step: its own, or another one if the key of its own is compromised and
 * that signer has no unfinished step of the pass. Returns undefined if no key is in service.
 */
export function withSignerInService(pass: Pass, env: Env): Pass | undefined {
  const config = configOf(env);
  if (!needsStep(pass) || !isCompromised(config, pass.signer)) return pass;
  const { key } = pass;
  const network = findNetwork(config.networks, key.chain, key.network);
  const signer = network && chooseSigner(config, network, passName(key));
  return signer && changeSigner(pass, signer);
}

/** Returns whether this service can sign with the key that issued the pass or will issue it. */
export function issuerKeyOf({ key, signer, onChain }: Pass, env: Env): IssuerKey {
  const config = configOf(env);
  const issuer = onChain.issuer === undefined ? signer : formatSignerName(key.chain, key.network, onChain.issuer);
  if (isCompromised(config, issuer)) return 'compromised';
  return hasKeyOf(config, signer) ? 'in-service' : 'missing';
}

/** The consumer waits three seconds for a pass object. */
const BEGIN_TIMEOUT_MS = 2_000;
/** The signers whose stores have begun, and the networks whose watchers have, as far as this isolate knows. */
const begunSigners = new Set<SignerName>();
const begunWatchers = new Set<string>();

export function hasBegunSigner(signer: SignerName): boolean {
  return begunSigners.has(signer);
}

/**
 * Makes sure that the store of a signer exists before a step is pinned for it, once per isolate. So a store that began later
 * than a step is not the first store of its signer. It also begins the watcher of the network.
 */
export async function beginSigner(
  signer: SignerName,
  { SIGNERS, WATCHERS }: Pick<Env, 'SIGNERS' | 'WATCHERS'>,
): Promise<void> {
  const { network, address } = parseSignerName(signer);
  if (rulesFor(address).isWatched) beginWatcher(network, WATCHERS);
  try {
    await within(BEGIN_TIMEOUT_MS, SIGNERS.getByName(signer).begin(), 'the signer');
    begunSigners.add(signer);
  } catch (fault) {
    // Without this call, the signer at worst waits for finality before it issues.
    logFault('signer.unreachable', fault, { signer });
  }
}

/** Nobody waits for a watcher: the next isolate that pins a step asks again. */
function beginWatcher(network: string, watchers: Env['WATCHERS']): void {
  if (begunWatchers.has(network)) return;
  begunWatchers.add(network);
  void within(BEGIN_TIMEOUT_MS, watchers.getByName(network).begin(), 'the watcher').catch((fault) => {
    begunWatchers.delete(network);
    logFault('watcher.unreachable', fault, { network });
  });
}

/** A superseded step ends first, and the one that takes access away follows. A wallet may also have several tokens. */
const MAX_STEPS = 5;
/** The signer answers within five seconds, as far as its run has come. */
const SUBMIT_TIMEOUT_MS = 10 * SECOND_MS;

/** The pass object, as far as this needs it. */
interface PinningPass {
  pinStep(): Promise<PinResult | undefined>;
  recordAnswers(answers: readonly Answer[]): Promise<RecordResult | undefined>;
}

/** Has the signer do the next steps of the pass, as the consumer of the queue does for many passes. Logs a fault. */
export async function submitSteps(
  { id: pass }: Pick<Pass, 'id'>,
  object: PinningPass,
  { SIGNERS }: Pick<Env, 'SIGNERS'>,
): Promise<void> {
  try {
    for (let steps = 0; steps < MAX_STEPS; steps += 1) {
      const pinned = await object.pinStep();
      if (pinned?.step === undefined) return;
      const { signer, step, vanished } = pinned;
      const submitted = SIGNERS.getByName(signer).submit([{ pass, step, vanished }]);
      const recorded = await object.recordAnswers(await within(SUBMIT_TIMEOUT_MS, submitted, 'the signer'));
      if (!recorded?.needsStep) return;
    }
  } catch (fault) {
    logFault('signer.unreachable', fault, { pass });
  }
}

/**
 * Logs a status of a step, with the milliseconds since the newest step was pinned.
 * @param before The pass before it recorded the answer.
 */
export function logStep(before: Pass, { step, status }: Answer, pinnedAt: Milliseconds | undefined, env: Env): void {
  // The record does not show waiting steps.
  if (status.type === 'waiting') return;
  const { id, key } = before;
  const kind = [before.step, ...(before.past ?? [])].find((each) => each?.id === step)?.kind;
  const transaction = 'transaction' in status ? status.transaction : undefined;
  const reason = 'reason' in status ? status.reason : undefined;
  const durationMs = pinnedAt === undefined ? undefined : Date.now() - pinnedAt;
  const facts = { pass: id, step, network: key.network, kind, transaction, reason, since_pinned_ms: durationMs };
  const event = `pass.step_${status.type}` as const;
  const wentWell = status.type === 'sent' || status.type === 'confirmed';
  if (wentWell) logSampled(event, id, shareOf(env), facts);
  else log(event, facts);
}

function shareOf(env: Env): number {
  try {
    return configOf(env).logSuccesses;
  } catch {
    // Requests report a broken configuration.
    return 1;
  }
}
