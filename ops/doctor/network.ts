import type { Config } from '../../src/config/config.ts';
import { signerNamesOf, signersOn } from '../../src/config/signers.ts';
import type { Network } from '../../src/network/network.ts';
import { check, type Finding, fail, type Verdict } from './check.ts';
import { gatekeeperNetworksOn, type IssuanceDemand } from './databases.ts';
import { checkEndpoint } from './endpoint.ts';
import { createEthereumDoctor } from './ethereum-doctor.ts';
import { checkSigner } from './signer.ts';
import { createSolanaDoctor } from './solana-doctor.ts';

/** Checks a network that has endpoints: each endpoint, the contract or program, and the rights and funds of each key. */
export async function checkNetwork(
  config: Config,
  network: Network,
  demands: Promise<readonly IssuanceDemand[] | undefined>,
  environment: string | undefined,
): Promise<Finding[]> {
  const { network: name } = network;
  const chain =
    network.chain === 'ethereum' ? createEthereumDoctor(network, config) : createSolanaDoctor(network, config);
  const urls = config.rpc[name] ?? [];
  const { identity, checkHistory } = chain;
  const shared = await Promise.all([
    ...urls.map((url, index) =>
      check(`${name}, endpoint ${index + 1} of ${urls.length}`, () =>
        checkEndpoint(network, identity, url, chain.probeEndpoint),
      ),
    ),
    check(`${name}, gateway`, chain.checkGateway),
    ...(checkHistory ? [check(`${name}, history`, () => historyVerdict(checkHistory))] : []),
  ]);
  const signers = signersOn(config, network);
  if (signers.length === 0) return [...shared, ...(await checkMissingKey(config, network))];
  const isThere = shared.find((each) => each.name === `${name}, gateway`)?.verdict.type === 'ok';
  const known = await demands;
  const here = known && gatekeeperNetworksOn(name, known);
  const ofSigners = await Promise.all(
    signers.map((signer) => checkSigner(config, chain, signer, isThere, here, environment)),
  );
  const retired = signers.every(({ gatekeeper }) => gatekeeper.retired)
    ? [check(`${name}, keys`, () => ALL_RETIRED)]
    : [];
  return [...shared, ...(await Promise.all(retired)), ...ofSigners.flat()];
}

const ALL_RETIRED = fail(
  'every key is retired or compromised: the service issues no new passes here',
  'remove one from RETIRED_GATEKEEPERS, or add a key',
);

async function historyVerdict(history: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await history();
  } catch (fault) {
    if (!/no history/.test(Object(fault).message)) throw fault;
    return fail(
      'no endpoint has the history of transactions',
      'add an endpoint that searches it (searchTransactionHistory)',
    );
  }
}

/** Returns a finding if no key serves the network. It ignores a missing contract, which another check reports. */
function checkMissingKey(config: Config, row: Network): Promise<Finding[]> {
  if (signerNamesOf(config, row).length > 0) return Promise.resolve([]);
  const { network, chain } = row;
  const variable = `${chain.toUpperCase()}_GATEKEEPER_KEY`;
  const isOther = config.gatekeepers[chain].length > 0;
  const verdict = fail(
    `no key is set for this ${isOther ? 'network' : 'chain'}: the network is not enabled`,
    `${isOther ? `add a key for ${network} to` : 'set'} ${variable}, or remove ${network} from RPC_ENDPOINTS`,
  );
  return Promise.all([check(`${network}, gatekeeper`, () => verdict)]);
}
