import fc from 'fast-check';
import { clientAt } from '../world/identities.ts';
import { CHAIN_OF, textOf, WALLETS } from '../world/networks.ts';
import { client, type Kinds, kind, nameOf, network, wallet } from './kind.ts';

/** The requests by which the operator looks, and changes what waits, and changes of the database by hand. */

const LISTS = ['signers', 'watchers', 'metrics', 'metrics', 'stuck?olderThan=0', 'dead-letters'] as const;

export const OPERATOR_REQUEST_STEPS: Kinds = {
  list: kind(
    { weight: 3 },
    [fc.constantFrom(...LISTS)],
    (list) => `the operator reads the list ${list}`,
    (world, list) => world.requests.ask('operator', 'GET', `/admin/${list}`),
  ),
  'look up': kind(
    { weight: 2 },
    [client, network, wallet],
    (who, on, index) => `the operator looks up wallet ${index} of ${nameOf(who)} on ${on}`,
    (world, who, on, index) => {
      const { gatekeeperNetwork } = clientAt(who);
      const path = `/admin/passes/${CHAIN_OF[on]}/${on}/${WALLETS[on][index]}?gatekeeperNetwork=${gatekeeperNetwork}`;
      return world.requests.ask('operator', 'GET', path);
    },
  ),
  redrive: kind(
    { weight: 3 },
    [fc.constantFrom('stuck', 'dead letters')],
    (what) => `the operator redrives all ${what}`,
    (world, what) =>
      world.requests.ask(
        'operator',
        'POST',
        '/admin/redrive',
        what === 'stuck' ? { all: 'stuck', olderThan: 0 } : { deadLetters: 'all' },
      ),
  ),
  'redrive one': kind(
    { weight: 2 },
    [client, network, wallet],
    (who, on, index) => `the operator redrives the pass of wallet ${index} of ${nameOf(who)} on ${on}`,
    (world, who, on, index) => {
      const { gatekeeperNetwork } = clientAt(who);
      const pass = { gatekeeperNetwork, chain: CHAIN_OF[on], network: on, walletAddress: WALLETS[on][index] };
      return world.requests.ask('operator', 'POST', '/admin/redrive', { pass });
    },
  ),
  withdraw: kind(
    { weight: 2 },
    [client],
    (who) => `the operator withdraws what waits for ${nameOf(who)}`,
    (world, who) => world.requests.ask('operator', 'POST', '/admin/withdraw', { client: nameOf(who) }),
  ),
  abandon: kind(
    { weight: 1 },
    [network],
    (on) => `the operator abandons the issuances that wait on ${on}`,
    (world, on) => world.requests.ask('operator', 'POST', '/admin/abandon', { chain: CHAIN_OF[on], network: on }),
  ),
  row: kind(
    { weight: 2 },
    [client, network, wallet, fc.constantFrom('another record', 'an older version')],
    (who, on, index, what) => `somebody gives the row of wallet ${index} of ${nameOf(who)} on ${on} ${what}`,
    (world, who, on, index, what) => {
      const key = {
        gatekeeperNetwork: clientAt(who).gatekeeperNetwork,
        network: on,
        wallet: WALLETS[on][index] as string,
      };
      world.incidents.needsReconciliation = true;
      world.incidents.changedRows.add(textOf(key));
      const change =
        what === 'another record'
          ? "record = json_set(record, '$.onChainState', 'FROZEN')"
          : 'version = max(0, version - 1)';
      world.platform.databases.DB?.write(
        `UPDATE passes SET ${change} WHERE gatekeeper_network = ? AND network = ? AND wallet = ?`,
        ...[key.gatekeeperNetwork, key.network, key.wallet],
      );
    },
  ),
};
