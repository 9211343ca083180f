import { NOT_SIGNED, VERDICT_TYPES } from '../../../src/http/routes/sign-verdict.ts';
import { annotate, EXAMPLE } from '../fields.ts';
import type { Operations } from '../operation.ts';
import { STAGES } from '../pass-examples.ts';
import { Health, ProtectedResource, Readiness, VerdictKeys, Verification } from '../schemas/public.ts';

/** Operations that need no token. */

const { contract } = STAGES.ethereum.active;
const VERIFIED = {
  valid: true,
  state: 'ACTIVE',
  expiryTimestamp: EXAMPLE.expiry,
  contract,
  asOf: 1_795_172_625,
  coveredUntil: 1_795_172_613,
};

const VERDICT = {
  domain: {
    name: 'Gatepass verdict',
    version: '1',
    chainId: 8453,
    verifyingContract: EXAMPLE.askingContract,
  },
  types: VERDICT_TYPES,
  primaryType: 'PassVerdict',
  message: {
    passChainId: 11_155_111,
    gateway: contract,
    gatekeeperNetwork: '1',
    wallet: EXAMPLE.ethereumWallet,
    issuedAt: VERIFIED.asOf,
    notAfter: VERIFIED.coveredUntil + 600,
  },
  signature: EXAMPLE.signature,
};

export const publicOperations: Operations = {
  getHealth: {
    summary: 'Check that the service runs and is configured',
    description:
      'Checks only the configuration: it reads neither the database nor a chain. Without a valid configuration, the response is 503 `not_configured`, and `errors` names the variables that are missing or wrong, for example `/TOKEN_ISSUER`. `GET /health/ready` asks the parts of the service.',
    replies: {
      200: { description: 'The service runs, and its configuration is valid.', body: Health },
    },
  },
  getReadiness: {
    summary: 'Check that the parts of the service answer',
    description:
      'Asks every database, the keys of the token issuer (the last fetched ones count), and one signer. It asks no chain. The result is up to 5 seconds old. Otherwise the response is 503 `temporarily_unavailable`, and `errors` lists the checks that failed, for example `/databases`. Many requests work meanwhile: the errors of each say so.',
    replies: {
      200: { description: 'All of them answer.', body: Readiness },
    },
  },
  getProtectedResource: {
    summary: 'Show the accepted token issuer and the scopes (RFC 9728)',
    description:
      'A 401 response has the URL of this document. A base path of the service follows this path instead of preceding it.',
    replies: {
      200: { description: 'The metadata.', body: ProtectedResource },
    },
  },
  verifyPass: {
    summary: 'Check whether a wallet has a valid pass',
    description:
      'Needs no token. Exists only for gatekeeper networks whose operator has enabled it; for any other one the response is that of an unknown path. Reads what the service knows, and no chain. A change by the service shows after its confirmation. The service reads every 5 to 30 seconds which tokens others have changed on chain. A change that takes access away shows as soon as it is confirmed, with `pending` until it is final. Any other change shows when it is final. `coveredUntil` says how far the service has followed the chain, and `maxAge` demands it. A smart contract must not rely on this, and must check the gateway token on chain. Any page may call it. The response is up to 15 seconds old.',
    query: {
      maxAge: annotate(
        'The greatest number of seconds between `coveredUntil` and now that you accept. If the service has not followed the chain that far, the response is 503 `not_fresh_enough`. If absent, any number is accepted. 90 suits the default interval of every network.',
        90,
      ),
      signed: annotate(
        '`1` asks for a signature too, for a contract. It needs `chainId` and `verifyingContract`, and a pass on an Ethereum-type network. Then no cache keeps the response.',
        '1',
      ),
      chainId: annotate('The number of the chain (chain id) of the asking contract. It needs no passes.', 8453),
      verifyingContract: annotate(
        'The address of the asking contract. An address in mixed case needs a valid EIP-55 checksum.',
        EXAMPLE.askingContract,
      ),
    },
    replies: {
      200: {
        description: 'Whether the pass is valid.',
        body: Verification,
        examples: {
          valid: { summary: 'A valid pass', value: VERIFIED },
          signed: {
            summary: 'A valid pass, with a signature for a contract',
            value: { ...VERIFIED, verdict: VERDICT },
          },
          notSigned: {
            summary: 'A frozen pass, for which there is no signature',
            value: {
              ...VERIFIED,
              valid: false,
              state: 'FROZEN',
              notSigned: { code: 'frozen', detail: NOT_SIGNED.frozen },
            },
          },
          pending: {
            summary: 'Others have taken access away, and no final block shows it yet',
            value: { ...VERIFIED, valid: false, pending: true },
          },
        },
        headers: ['Cache-Control', 'Age'],
      },
    },
    refuses: [
      'invalid_request',
      'unknown_network',
      'invalid_wallet',
      'verdicts_not_enabled',
      'not_found',
      'not_fresh_enough',
    ],
  },
  listVerdictKeys: {
    summary: 'List the keys that sign verdicts',
    description:
      'Needs no token. Has each key that has ever signed a verdict of `GET /verify` with `signed=1`, also ended ones. Any page may call it, and caches may keep the response for a minute. It is empty for a service that signs none.',
    replies: {
      200: { description: 'The keys.', body: VerdictKeys, headers: ['Cache-Control'] },
    },
  },
};
