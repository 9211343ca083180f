import { configOf } from '../config/parse-config.ts';
import { chooseSigner, hasKeyOf, isCompromised, isTestSlotOnMainnet } from '../config/signers.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { formatSignerName, parseSignerName, type SignerName } from '../network/network.ts';
import { findNetwork } from '../network/networks.ts';
import { rulesFor } from '../network/sandbox.ts';
import { derivesSmallSlot } from '../network/slot.ts';
import { changeSigner, type IssuerKey, needsStep } from '../pass/next-step.ts';
import { type Pass, type PassKey, passName } from '../pass/pass.ts';

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
