import { type Chain, contractOf, type Network, type SignerName } from '../../src/network/network.ts';
import { findNetwork, NETWORKS } from '../../src/network/networks.ts';
import { recordAnswer } from '../../src/pass/answers.ts';
import { pinNextStep } from '../../src/pass/next-step.ts';
import type { Pass, PassKey } from '../../src/pass/pass.ts';
import { type PassRecord, recordOf } from '../../src/pass/record.ts';
import { type ChangeResult, requestIssuance, requestUpdate, type WantedChange } from '../../src/pass/requests.ts';
import type { Answer, StepStatus } from '../../src/pass/step.ts';
import { EXAMPLE } from './fields.ts';

/** Records of passes at each stage. The Worker's own functions bring a pass from one stage to the next. */

const ISSUED_AT = 1_795_172_625;
/** The client and the id of the requests. */
const BY = { actor: { client: 'acme' }, requestId: EXAMPLE.requestId };

interface Wallet {
  readonly id: string;
  readonly network: string;
  readonly wallet: string;
  /** One transaction per change. */
  readonly transactions: readonly [string, string, string];
}

const WALLETS: Readonly<Record<Chain, Wallet>> = {
  ethereum: {
    id: EXAMPLE.id,
    network: 'sepolia',
    wallet: EXAMPLE.ethereumWallet,
    transactions: [
      '0x148c2f1f20a3b1de9f5a2f7cde87f1b1b1e54e7b4dbe8d5e9b6ac2f4c9c66163',
      '0x9b1a0ce5d7bb4d6d1b2ad90e5c3e2a7d4f1f2c68d3b1a0e97a4f5c6d7e8f9012',
      '0x3c7e5d2a9f8b4e1c6d0a7b3f5e9c2d8a1b4f6e7c0d3a9b5e8f2c1d7a6b4e9f03',
    ],
  },
  solana: {
    id: '01a1f8a0-7215-7d0e-9c41-5b7c3a6f2e10',
    network: 'devnet',
    wallet: EXAMPLE.solanaWallet,
    transactions: [
      '4vC38p4bz7XyiXrk6HtaooUqwxTWKocf45cstASGtmrD398biNJnmTcUCVEojE7wVQvgdYbjHJqRFZPpzfCQpmUN',
      '2nBhEBYYvfaAe16UMNqRHre4YNSskvuYgx3M6E4JP1oDYvZEJHvoPzyUidNgNX5r9sTyN1J9UxtbCXy2rqYcuyuv',
      '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
    ],
  },
};

/** A record as a reply shows it. */
type ShownRecord = PassRecord & { readonly valid: boolean };

type Stages = Readonly<Record<'requested' | 'sent' | 'active' | 'freezing' | 'frozen' | 'revoking', ShownRecord>>;

export const STAGES: Readonly<Record<Chain, Stages>> = { ethereum: stagesOn('ethereum'), solana: stagesOn('solana') };

function stagesOn(chain: Chain): Stages {
  const { id, network, wallet, transactions } = WALLETS[chain];
  const contract = contractOf({}, findNetwork(NETWORKS, chain, network) as Network);
  const key = { gatekeeperNetwork: EXAMPLE.gatekeeperNetwork, chain, network, wallet } as PassKey;
  const requested = passOf(
    requestIssuance(undefined, { id, key, contract, signer: '' as SignerName, client: 'acme', by: BY }, ISSUED_AT),
  );
  const sent = answerStep(requested, { type: 'sent', transaction: transactions[0] }, 0);
  const active = confirmStep(requested, 'ACTIVE', transactions[0], 1);
  const freezing = requestChange(active, { state: 'FROZEN' }, 60);
  const frozen = confirmStep(freezing, 'FROZEN', transactions[1], 62);
  const revoking = requestChange(frozen, { state: 'REVOKED' }, 120);
  const passes = { requested, sent, active, freezing, frozen, revoking };
  return Object.fromEntries(
    Object.entries(passes).map(([stage, pass]) => [stage, { ...recordOf(pass), valid: pass === active }]),
  ) as Stages;
}

function requestChange(pass: Pass, change: WantedChange, after: number): Pass {
  return passOf(requestUpdate(pass, { ...change, client: 'acme', by: BY }, ISSUED_AT + after));
}

function confirmStep(pass: Pass, state: 'ACTIVE' | 'FROZEN', transaction: string, after: number): Pass {
  return answerStep(pass, { type: 'confirmed', transaction, onChain: { state } }, after);
}

/** Pins the next step of the pass, and records the signer's answer. */
function answerStep(pass: Pass, status: StepStatus, after: number): Pass {
  const pinned = pinNextStep(pass, ISSUED_AT + after);
  if (pinned === undefined) throw new Error('the example has no next step');
  const answer: Answer = { step: pinned.step.id, revision: 1, status };
  return recordAnswer(pinned.pass, answer, ISSUED_AT + after);
}

function passOf(result: ChangeResult): Pass {
  if (result.type === 'refused') throw new Error(`the example is refused: ${result.reason}`);
  return result.pass;
}
