import { openChain } from '../../src/chain/open-chain.ts';
import { pairUp } from '../../src/chain/pairs.ts';
import type { PrepareResult } from '../../src/chain/port.ts';
import { smallestUnitsOf } from '../../src/chain/units.ts';
import type { Config } from '../../src/config/config.ts';
import { type EnabledNetwork, isTestSlotOnMainnet } from '../../src/config/signers.ts';
import type { PassKey } from '../../src/pass/pass.ts';
import { rankOf } from '../../src/pass/rank.ts';
import { ceilingsVerdict } from './ceilings.ts';
import type { ChainDoctor } from './chain-doctor.ts';
import { check, type Finding, fail, notice, ok, skip, type Verdict } from './check.ts';
import { checkFunds } from './funds.ts';

const NO_GATEWAY = skip('there is nothing at the address of the gateway that could be asked');
const NO_NETWORKS = skip('the partners are not known: name a gatekeeper network with --gatekeeper-network KEY');
const TEST_SLOT_ON_MAINNET = fail(
  'its slot is 1, which is for tests: everybody knows the key of a gatekeeper there, and the service issues nothing',
  'give the partner a gatekeeper network of its own',
);
const NO_PARTNER = skip('no partner may issue here: name a gatekeeper network with --gatekeeper-network KEY');

/**
 * Whether the key may issue, and for how many passes its funds last: by a look of the Worker's own at a wallet that nobody
 * has. Nothing is signed.
 * @param here Gatekeeper networks that passes may be issued for on this network; undefined: not known.
 */
export async function checkSigner(
  config: Config,
  chain: ChainDoctor,
  signer: EnabledNetwork,
  isThere: boolean,
  here: readonly string[] | undefined,
): Promise<Finding[]> {
  const { network, gatekeeper } = signer;
  const name = `${network.network}, gatekeeper ${gatekeeper.address}${noteOn(gatekeeper)}`;
  if (!isThere) return Promise.all([check(name, () => NO_GATEWAY)]);
  const trial = here?.length ? tryIssuance(config, chain, signer, here) : undefined;
  // Each check hears of its fault; without any, nobody would.
  trial?.catch(() => {});
  const registered = (here ?? []).map((gatekeeperNetwork) =>
    check(`${name} in ${gatekeeperNetwork}`, async () => {
      if (isTestSlotOnMainnet(config, network, gatekeeperNetwork)) return TEST_SLOT_ON_MAINNET;
      const hint = chain.registrationHint(signer, gatekeeperNetwork);
      const found = (await trial)?.networks.get(gatekeeperNetwork);
      return gatekeeper.compromised ? compromisedVerdict(found) : registeredVerdict(found, signer, hint);
    }),
  );
  const unnamed = here?.length ? [] : [check(name, () => (here ? NO_PARTNER : NO_NETWORKS))];
  // A compromised key pays for nothing.
  if (gatekeeper.compromised) return Promise.all([...registered, ...unnamed]);
  const funds = check(`${name}, funds`, async () => checkFunds(chain, signer, (await trial)?.cost));
  const ceilings = check(`${name}, ceilings`, async () => ceilingsVerdict(chain, signer, (await trial)?.cost));
  const { checkAccount } = chain;
  const account = checkAccount ? [check(`${name}, account`, () => checkAccount(signer))] : [];
  return Promise.all([...registered, ...unnamed, ...account, funds, ceilings]);
}

function noteOn({ retired, compromised }: EnabledNetwork['gatekeeper']): string {
  if (compromised) return ' (compromised)';
  return retired ? ' (retired)' : '';
}

/** What the chain says of issuing for a gatekeeper network. */
interface NetworkTrial {
  readonly result: PrepareResult;
  /** What the chain says beside the trial, if it says anything. */
  readonly isRegistered: boolean | undefined;
}

interface Trial {
  /** By gatekeeper network. */
  readonly networks: ReadonlyMap<string, NetworkTrial>;
  /** Of an issuance, if one is ready; `more`: than the key has. */
  readonly cost: bigint | 'more' | undefined;
}

async function tryIssuance(
  config: Config,
  chain: ChainDoctor,
  signer: EnabledNetwork,
  here: readonly string[],
): Promise<Trial> {
  const { chain: type, network } = signer;
  const requests = here.map((gatekeeperNetwork) => ({
    gatekeeperNetwork,
    step: {
      id: `doctor:${gatekeeperNetwork}`,
      kind: 'issue' as const,
      rank: rankOf('issue'),
      key: { gatekeeperNetwork, chain: type, network: network.network, wallet: chain.unusedWallet() } as PassKey,
    },
  }));
  const [{ results }, registered] = await Promise.all([
    openChain(signer, config).prepare(requests, 0),
    chain.readRegistrations(signer, here),
  ]);
  const isRegistered = new Map(pairUp(here, registered));
  const ready = results.map(([, result]) => result).find((result) => result.type === 'ready');
  const isBroke = results.some(([, result]) => result.type === 'not-now' && /funds/.test(result.why));
  return {
    networks: new Map(
      results.map(([{ gatekeeperNetwork }, result]) => [
        gatekeeperNetwork,
        { result, isRegistered: isRegistered.get(gatekeeperNetwork) },
      ]),
    ),
    cost: ready ? smallestUnitsOf(ready.maxCost, type) : isBroke ? 'more' : undefined,
  };
}

function registeredVerdict(trial: NetworkTrial | undefined, { gatekeeper }: EnabledNetwork, remedy: string): Verdict {
  if (trial?.isRegistered === false) return unauthorizedVerdict('it is no gatekeeper there', gatekeeper, remedy);
  switch (trial?.result.type) {
    case 'ready':
      return ok('it may issue');
    case 'refused':
      return fail(trial.result.reason, 'ask who governs the gatekeeper network');
    case 'not-now':
      if (trial.result.blocks === 'gatekeeper-network')
        return unauthorizedVerdict(trial.result.why, gatekeeper, remedy);
      return notNowVerdict(trial.result.why, trial.isRegistered === true);
    default:
      return fail('the chain holds a token of a wallet that nobody has', 'name another endpoint');
  }
}

/** Whoever has the key issues passes as long as the gatekeeper network authorizes it. */
function compromisedVerdict(trial: NetworkTrial | undefined): Verdict {
  const isUnauthorized = trial?.result.type === 'not-now' && trial.result.blocks === 'gatekeeper-network';
  if (trial?.isRegistered === false || isUnauthorized) return ok('it is no gatekeeper there any more');
  if (trial?.isRegistered !== true && trial?.result.type !== 'ready')
    return skip('whether it may still issue is not known');
  return fail(
    'whoever has the key may still issue passes',
    'have who governs the gatekeeper network remove it (removeGatekeeper; on Solana RemoveGatekeeper)',
  );
}

function unauthorizedVerdict(why: string, { retired }: EnabledNetwork['gatekeeper'], remedy: string): Verdict {
  if (!retired) return fail(why, remedy);
  return notice(
    `retired and not authorized: changes to its passes wait; if some are to be made, ${remedy}; if it was leaked, name it in COMPROMISED_GATEKEEPERS`,
  );
}

function notNowVerdict(why: string, isRegistered: boolean): Verdict {
  // Its funds have a line of their own.
  if (/funds/.test(why)) return isRegistered ? ok('it is a gatekeeper there') : skip(why);
  const cap = /maxFeePerGas|maxL1Fee/.exec(why)?.[0];
  if (cap !== undefined) return fail(why, `wait, or raise ${cap} in NETWORKS`);
  return fail(why, 'try again; if it stays so, name another endpoint');
}
