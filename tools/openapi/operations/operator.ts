import { AFTER_TEXT, annotate, EXAMPLE } from '../fields.ts';
import type { Operations } from '../operation.ts';
import {
  Abandoned,
  AbandonRequest,
  DeadLetters,
  ExplainedPasses,
  Redriven,
  RedriveRequest,
  StuckPasses,
  Withdrawn,
  WithdrawRequest,
} from '../schemas/operator.ts';
import {
  AcceptedAbsences,
  AcceptRequest,
  Move,
  MoveNetworkRequest,
  Moves,
  RebuildRequest,
  Rebuilt,
  Reconciliation,
} from '../schemas/reconciliation.ts';
import { WaitsForApproval } from '../schemas/revocations.ts';
import { Signers } from '../schemas/signers.ts';
import { Watchers } from '../schemas/watchers.ts';
import { APPROVAL_REFUSALS, resultOrApproval, WAITS_TEXT } from '../waits-for-approval.ts';

/** Operations of the operator on signers, passes and databases. */

const SPENDING = {
  spent: '41250000000000000',
  ceiling: '100000000000000000000',
  reserve: '10000000000000000000',
};

const PAGE = {
  limit: annotate('The maximum number of entries in the response.', 100),
  after: AFTER_TEXT,
};

export const operatorOperations: Operations = {
  listSigners: {
    summary: 'Show the signers of each enabled network',
    description:
      'Reads the balance of each key, and the waiting and in-flight work of its signer. Brings each signer the lists of the last emergency.',
    replies: {
      200: {
        description: 'One entry for each enabled network and gatekeeper key.',
        body: Signers,
        examples: {
          waiting: {
            summary: 'On an Ethereum-type network, with waiting steps',
            value: {
              signers: [
                {
                  network: 'sepolia',
                  chain: 'ethereum',
                  address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
                  retired: false,
                  compromised: false,
                  emergency: { number: 0, stopped: false },
                  balance: '998732000000000000',
                  nextNonce: 1208,
                  waiting: 3,
                  inFlight: { unsent: 0, sent: 2, confirmed: 5 },
                  oldestPending: { step: `${EXAMPLE.id}:1`, since: 1_795_172_625, ageSeconds: 42, nonce: 1206 },
                  paused: null,
                  spending: SPENDING,
                  lanes: [
                    { gatekeeperNetwork: EXAMPLE.gatekeeperNetwork, waiting: 3, paused: null, spending: SPENDING },
                  ],
                },
              ],
              emergencyNumber: 0,
              compromisedGatekeepers: [],
              suspendedClients: [],
            },
          },
          unknown: {
            summary: 'On Solana, without an answer',
            value: {
              signers: [
                {
                  network: 'devnet',
                  chain: 'solana',
                  address: 'gatbGF9DvLAw3kWyn1EmH5Nh1Sqp8sTukF7yaQpSc71',
                  retired: false,
                  compromised: false,
                  emergency: null,
                  balance: null,
                  why: 'the signer does not answer',
                },
              ],
              emergencyNumber: 0,
              compromisedGatekeepers: [],
              suspendedClients: [],
            },
          },
        },
      },
    },
  },
  listWatchers: {
    summary: 'Show the watcher of each enabled network',
    description: 'Shows how far each watcher has followed its chain, and what others did there. It waits for no node.',
    replies: {
      200: {
        description: 'One entry for each enabled network.',
        body: Watchers,
        examples: {
          watchers: {
            summary: 'A watcher that is on, one that has not begun and one without an answer',
            value: {
              watchers: [
                {
                  network: 'sepolia',
                  status: 'on',
                  coveredUntil: 1_795_172_625,
                  gaps: 0,
                  unservedGaps: 0,
                  waiting: 2,
                  foreignChanges: 7,
                  issuedByOthers: [
                    {
                      gatekeeperNetwork: EXAMPLE.gatekeeperNetwork,
                      gatekeeper: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
                      tokens: 12,
                      lastAt: 1_795_172_625,
                    },
                  ],
                  removedGatekeepers: [],
                  why: null,
                },
                { network: 'baseSepolia', status: 'not-begun' },
                { network: 'devnet', status: 'unreachable' },
              ],
            },
          },
        },
      },
    },
  },
  getMetrics: {
    summary: 'Show the metrics of the service for Prometheus',
    description:
      'OpenMetrics text, at most 15 seconds old. It never waits for a node: balances are at most five minutes old, and the first text after a pause has none. A signer that does not answer within 1.5 seconds is counted as missing.',
    replies: {
      200: { description: 'The metrics.', mediaType: 'application/openmetrics-text; version=1.0.0; charset=utf-8' },
    },
  },
  lookUpPass: {
    summary: 'Explain why the pass of a wallet is or is not ACTIVE',
    description:
      'Asks the databases in which gatekeeper networks the wallet has a pass, then each pass object, its signer and a node. With `gatekeeperNetwork` it needs no database.',
    query: {
      gatekeeperNetwork: annotate('Only the pass in this gatekeeper network.', EXAMPLE.gatekeeperNetwork),
    },
    replies: {
      200: { description: 'The passes of the wallet, each with its reason and the remedy.', body: ExplainedPasses },
    },
    refuses: ['unknown_network', 'invalid_wallet', 'pass_not_found'],
  },
  listStuckPasses: {
    summary: 'List unsettled passes and the reason of each, oldest first',
    description: 'A pass is listed from the time its alarm finds it unsettled until it is settled.',
    query: {
      olderThan: annotate('Only passes that have been unsettled for more than this many seconds.', 300),
      ...PAGE,
    },
    replies: {
      200: { description: 'A page of the unsettled passes.', body: StuckPasses },
    },
  },
  redrive: {
    summary: 'Retry a pass, all stuck passes, or dead letters now',
    description: 'Retries up to 500 passes or messages at a time. A redrive never doubles a transaction.',
    request: {
      body: RedriveRequest,
      examples: {
        pass: {
          summary: 'A pass',
          value: {
            pass: {
              gatekeeperNetwork: EXAMPLE.gatekeeperNetwork,
              chain: 'ethereum',
              network: 'sepolia',
              walletAddress: EXAMPLE.ethereumWallet,
            },
          },
        },
        stuck: { summary: 'All stuck passes', value: { all: 'stuck', olderThan: 300 } },
        deadLetters: { summary: 'All dead letters', value: { deadLetters: 'all' } },
      },
    },
    replies: {
      202: {
        description: 'The number of passes or messages that the request retries.',
        body: Redriven,
        examples: {
          one: { summary: 'One pass', value: { redriven: 1, more: false } },
          many: { summary: 'More to retry', value: { redriven: 500, more: true, next: EXAMPLE.position } },
        },
      },
    },
    refuses: ['not_found', 'unknown_network', 'invalid_wallet', 'pass_not_found'],
  },
  abandon: {
    summary: 'Abandon the waiting issuances of a network, or of one gatekeeper network on it',
    description:
      'Ends up to 500 issuances, or up to 50 per signer if that is more. Repeat the request while `more` is true. The passes become `REJECTED` with the reason `abandoned`, and partners may request them again. The request leaves issuances that have signed bytes, and counts them in `signed`. Passes whose signer had no room submit their issuances within two minutes: repeat the request then.',
    request: {
      body: AbandonRequest,
      examples: {
        network: { summary: 'On a network', value: { chain: 'ethereum', network: 'sepolia' } },
        partner: {
          summary: 'Of a gatekeeper network on a network',
          value: { chain: 'ethereum', network: 'sepolia', gatekeeperNetwork: EXAMPLE.gatekeeperNetwork },
        },
      },
    },
    replies: {
      202: { description: `The number of issuances that have ended. ${WAITS_TEXT}`, body: resultOrApproval(Abandoned) },
    },
    refuses: ['unknown_network', ...APPROVAL_REFUSALS],
  },
  withdraw: {
    summary: 'End the unsigned steps of a client or a gatekeeper network, on all networks with RPC endpoints',
    description:
      'Ends up to 500 steps, or up to 50 per signer if that is more. Repeat the request while `more` is true. Issuances, new expiries and unfreezes end with the reason `abandoned`. Revocations and freezes continue. A pass that is not on chain becomes `REJECTED`, and any other pass keeps what the chain holds. The request leaves steps for which a block may still include a transaction, and counts them in `signed`. A pass whose signer had no room submits its step within two minutes: repeat the request then. Suspend the client first, otherwise it requests the same again.',
    request: {
      body: WithdrawRequest,
      examples: {
        client: { summary: 'Of a client', value: { client: 'a-suspended-client' } },
        partner: { summary: 'Of a gatekeeper network', value: { gatekeeperNetwork: EXAMPLE.gatekeeperNetwork } },
      },
    },
    replies: {
      202: { description: `The number of steps that have ended. ${WAITS_TEXT}`, body: resultOrApproval(Withdrawn) },
    },
    refuses: APPROVAL_REFUSALS,
  },
  listDeadLetters: {
    summary: 'List the messages that the queue gave up, newest first',
    description: 'No work is lost with a dead letter. The service keeps the newest 10,000.',
    query: PAGE,
    replies: {
      200: { description: 'A page of the dead letters.', body: DeadLetters },
    },
  },
  getReconciliation: {
    summary: 'Show the result of the last reconciliation, and the progress of rebuilds',
    description:
      'Each night the service compares the read model with the pass objects, and the pass objects with the chain. A rebuild brings a restored database back to the state of the pass objects.',
    replies: {
      200: {
        description: 'The newest run, and the newest rebuild of each shard.',
        body: Reconciliation,
        examples: {
          finished: {
            summary: 'A finished run',
            value: {
              run: {
                started: 1_795_132_800,
                finished: 1_795_133_410,
                night: 1_795_132_800,
                slices: 12,
                counts: { passes: 1200, 'row-stale': 1 },
                held: [],
              },
              rebuilds: [],
            },
          },
          none: { summary: 'No run yet', value: { run: null, rebuilds: [] } },
        },
      },
    },
  },
  rebuild: {
    summary: 'Bring a restored or emptied database back to the state of the pass objects',
    description:
      'Writes the rows of up to 200 pass objects, if the passes belong to the shard. `npm run rebuild` lists all objects and sends them in slices. A slice may be sent twice, or at the same time as others: a newer row always stays.',
    request: {
      body: RebuildRequest,
      examples: {
        slice: { summary: 'A slice', value: { shard: 'DB', objects: [EXAMPLE.objectId], position: '4000' } },
      },
    },
    replies: {
      200: {
        description: 'The result of the slice.',
        body: Rebuilt,
        examples: {
          done: {
            summary: 'A complete slice',
            value: { objects: 200, passes: 150, elsewhere: 48, empty: 2, unreachable: [] },
          },
        },
      },
    },
  },
  listMoves: {
    summary: 'List the moves of gatekeeper networks to other databases',
    description: 'Shows the moves that have begun and not ended.',
    replies: { 200: { description: 'The moves.', body: Moves } },
  },
  moveNetwork: {
    summary: 'Move a gatekeeper network to another database, or cancel its move',
    description:
      'Begins or continues the move for about ten seconds. `npm run shard` repeats the request until the move is done. A request may be repeated, and may end at any moment. The passes and events of the gatekeeper network are not published meanwhile. Requests of partners are accepted.',
    request: {
      body: MoveNetworkRequest,
      examples: {
        move: { summary: 'Move', value: { gatekeeperNetwork: EXAMPLE.gatekeeperNetwork, to: 'DB_2' } },
        cancel: {
          summary: 'Cancel',
          value: { gatekeeperNetwork: EXAMPLE.gatekeeperNetwork, to: 'DB_2', cancel: true },
        },
      },
    },
    replies: { 200: { description: 'The progress of the move.', body: Move } },
    refuses: ['gatekeeper_network_not_found'],
  },
  acceptReconciliation: {
    summary: 'Accept that many passes of a gatekeeper network have lost their token on a network',
    description:
      'If more than five passes, and more than 2 % of those compared, seem to have lost their token, a run changes nothing there. Check the contract address and the endpoints first. After the request, this run and the next one adopt as many losses as were counted.',
    request: {
      body: AcceptRequest,
      examples: {
        accept: {
          summary: 'Accept the counted losses',
          value: { accept: { gatekeeperNetwork: EXAMPLE.gatekeeperNetwork, network: 'sepolia' } },
        },
      },
    },
    replies: {
      200: { description: 'The losses are accepted.', body: AcceptedAbsences },
      202: { description: WAITS_TEXT, body: WaitsForApproval },
    },
    refuses: APPROVAL_REFUSALS,
  },
};
