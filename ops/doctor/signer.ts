import { openChain } from '../../src/chain/open-chain.ts';
import { type PassCost, passCostOf } from '../../src/chain/pass-cost.ts';
import { type Pairs, type PrepareResult, pairUp } from '../../src/chain/port.ts';
import type { NotNow } from '../../src/chain/reasons.ts';
import type { Config } from '../../src/config/config.ts';
import { type EnabledNetwork, isTestSlotOnMainnet } from '../../src/config/signers.ts';
import { unusedWallet } from '../../src/network/wallet.ts';
import type { PassKey } from '../../src/pass/pass.ts';
import { rankOf } from '../../src/pass/step-kinds.ts';
import { ceilingsVerdict } from './ceilings.ts';
import type { ChainDoctor } from './chain-doctor.ts';
import { check, type Finding, fail, notice, ok, skip, type Verdict } from './check.ts';
import type { LocatedNetwork } from './databases.ts';
import { checkFunds } from './funds.ts';

const NO_GATEWAY = skip('the check of the gateway failed');
const NO_NETWORKS = skip('the partners are unknown: name a gatekeeper network with --gatekeeper-network KEY');
const TEST_SLOT_ON_MAINNET = fail(
  'its slot is 1, which is for tests: the key of a gatekeeper there is public, so the service issues nothing',
  'give the partner a gatekeeper network of its own',
);
const NO_PARTNER = skip('no partner may issue here: name a gatekeeper network with --gatekeeper-network KEY');

/**
 * Checks whether the key may issue, and how many passes its funds pay for. It prepares an issuance with the Worker's code for
 * a wallet that nobody holds, and signs nothing.
 * @param isThere Whether the check of a gateway succeeded.
 * @param here Gatekeeper networks for which passes may be issued on this network, in contracts that exist; undefined: unknown.
 * @param environment Name of the deployment; undefined: the localnet.
 */
export async function checkSigner(
  config: Config,
  chain: ChainDoctor,
  signer: EnabledNetwork,
  isThere: boolean,
  here: readonly LocatedNetwork[] | undefined,
  environment: string | undefined,
): Promise<Finding[]> {
  const { network, gatekeeper } = signer;
  const name = `${network.network}, gatekeeper ${gatekeeper.address}${noteOn(gatekeeper)}`;
  if (!isThere) return Promise.all([check(name, () => NO_GATEWAY)]);
  const trial = here?.length ? tryIssuance(config, chain, signer, here) : undefined;
  // Every check that awaits the trial reports its fault. If none does, this handler prevents an unhandled rejection.
  trial?.catch(() => {});
  const registered = (here ?? []).map((located) => {
    const { gatekeeperNetwork } = located;
    return check(`${name} in ${gatekeeperNetwork}`, async () => {
      if (isTestSlotOnMainnet(config, network, gatekeeperNetwork)) return TEST_SLOT_ON_MAINNET;
      const found = (await trial)?.networks.get(gatekeeperNetwork);
      const commandTo = (verb: Parameters<typeof networkCommand>[0]) =>
        `an authority of the gatekeeper network runs ${networkCommand(verb, signer, gatekeeperNetwork, environment)}`;
      if (gatekeeper.compromised) return compromisedVerdict(found, commandTo('remove-gatekeeper'));
      const isMissing = isUnauthorized(found) && !(await chain.exists(located));
      return registeredVerdict(found, signer, commandTo(isMissing ? 'create' : 'add-gatekeeper'));
    });
  });
  const unnamed = here?.length ? [] : [check(name, () => (here ? NO_PARTNER : NO_NETWORKS))];
  // A compromised key pays for nothing.
  if (gatekeeper.compromised) return Promise.all([...registered, ...unnamed]);
  const funds = check(`${name}, funds`, async () => checkFunds(chain, signer, (await trial)?.cost));
  const ceilings = check(`${name}, ceilings`, async () => ceilingsVerdict(chain, signer, (await trial)?.countedCost));
  const { checkAccount, checkGas } = chain;
  const account = checkAccount ? [check(`${name}, account`, () => checkAccount(signer))] : [];
  const gas = checkGas
    ? [
        check(`${name}, gas`, async () => {
          const call = (await trial)?.call;
          return call === undefined ? skip('no issuance could be simulated') : checkGas(signer, call);
        }),
      ]
    : [];
  return Promise.all([...registered, ...unnamed, ...account, ...gas, funds, ceilings]);
}

/**
 * Returns the command that lets the key issue for a gatekeeper network, or no longer.
 * @param environment Name of the deployment; undefined: the localnet.
 */
function networkCommand(
  verb: 'create' | 'add-gatekeeper' | 'remove-gatekeeper',
  { network, gatekeeper }: EnabledNetwork,
  gatekeeperNetwork: string,
  environment: string | undefined,
): string {
  const subject = verb === 'create' ? `${gatekeeperNetwork} --name NAME` : `${gatekeeperNetwork} ${gatekeeper.address}`;
  const nodes = environment === undefined ? '--local' : `--env ${environment} --secrets FILE`;
  const main = network.testnet ? '' : ' --mainnet';
  return `\`npm run network -- ${verb} ${subject} --network ${network.network} ${nodes}${main} --authority-key-file FILE\``;
}

function noteOn({ retired, compromised }: EnabledNetwork['gatekeeper']): string {
  if (compromised) return ' (compromised)';
  return retired ? ' (retired)' : '';
}

/** The chain's answer to a simulated issuance for a gatekeeper network. */
interface NetworkTrial {
  readonly result: PrepareResult;
  /** Whether an account on chain registers the key; undefined: the chain has no such account. */
  readonly isRegistered: boolean | undefined;
}

interface Trial {
  /** By gatekeeper network. */
  readonly networks: ReadonlyMap<string, NetworkTrial>;
  /** As a balance pays it, and as the ceilings count it. */
  readonly cost: PassCost;
  readonly countedCost: PassCost;
  /** The call of an issuance that succeeded in simulation. */
  readonly call?: { readonly contract: string; readonly data: string };
}

async function tryIssuance(
  config: Config,
  chain: ChainDoctor,
  signer: EnabledNetwork,
  here: readonly LocatedNetwork[],
): Promise<Trial> {
  const { chain: type, network } = signer;
  const names = here.map(({ gatekeeperNetwork }) => gatekeeperNetwork);
  const requests = here.map(({ gatekeeperNetwork, contract }) => ({
    gatekeeperNetwork,
    step: {
      id: `doctor:${gatekeeperNetwork}`,
      kind: 'issue' as const,
      rank: rankOf('issue'),
      key: { gatekeeperNetwork, chain: type, network: network.network, wallet: unusedWallet(type) } as PassKey,
      contract,
    },
  }));
  const [{ results }, registered] = await Promise.all([
    openChain(signer, config).prepare(requests, 0),
    chain.readRegistrations(signer, names),
  ]);
  const isRegistered = new Map(pairUp(names, registered));
  const all = results.map(([, result]) => result);
  return {
    networks: new Map(
      results.map(([{ gatekeeperNetwork }, result]) => [
        gatekeeperNetwork,
        { result, isRegistered: isRegistered.get(gatekeeperNetwork) },
      ]),
    ),
    cost: passCostOf(all, type),
    countedCost: passCostOf(all, type, 'ceilings'),
    ...callIn(results),
  };
}

function callIn(results: Pairs<{ readonly step: { readonly contract: string } }, PrepareResult>): Pick<Trial, 'call'> {
  for (const [{ step }, result] of results)
    if (result.type === 'ready') return { call: { contract: step.contract, data: result.call } };
  return {};
}

function isUnauthorized(trial: NetworkTrial | undefined): boolean {
  return trial?.result.type === 'not-now' && trial.result.blocks === 'lane';
}

function registeredVerdict(trial: NetworkTrial | undefined, { gatekeeper }: EnabledNetwork, remedy: string): Verdict {
  if (trial?.isRegistered === false) return unauthorizedVerdict('it is not a gatekeeper there', gatekeeper, remedy);
  switch (trial?.result.type) {
    case 'ready':
      return ok('it may issue');
    case 'refused':
      return fail(trial.result.reason, 'ask the authority of the gatekeeper network');
    case 'not-now':
      if (trial.result.blocks === 'lane') return unauthorizedVerdict(trial.result.why, gatekeeper, remedy);
      return notNowVerdict(trial.result, trial.isRegistered === true);
    default:
      return fail('the endpoint reports a token for a random wallet that nobody holds', 'use another endpoint');
  }
}

/** A thief of the key can issue passes as long as the gatekeeper network authorizes the key. */
function compromisedVerdict(trial: NetworkTrial | undefined, remedy: string): Verdict {
  if (trial?.isRegistered === false || isUnauthorized(trial)) return ok('it is no longer a gatekeeper there');
  if (trial?.isRegistered !== true && trial?.result.type !== 'ready')
    return skip('it is unknown whether the key may still issue');
  return fail('anyone who has the key can still issue passes', remedy);
}

function unauthorizedVerdict(why: string, { retired }: EnabledNetwork['gatekeeper'], remedy: string): Verdict {
  if (!retired) return fail(why, remedy);
  return notice(
    `the key is retired and not authorized, so changes to its passes wait; if you expect any, ${remedy}; ` +
      'if the key leaked, name it with `npm run emergency -- compromise`',
  );
}

function notNowVerdict({ code, why }: NotNow, isRegistered: boolean): Verdict {
  switch (code) {
    case 'no-funds':
      // Another check reports the funds.
      return isRegistered ? ok('it is a gatekeeper there') : skip(why);
    case 'gas-price-too-high':
      return fail(why, 'wait, or raise maxFeePerGas in NETWORKS');
    case 'l1-fee-too-high':
      return fail(why, 'wait, or raise maxL1Fee in NETWORKS');
    default:
      return fail(why, 'try again; if it fails again, use another endpoint');
  }
}
