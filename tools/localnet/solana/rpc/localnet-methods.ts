import { base64 } from '@scure/base';
import * as v from 'valibot';
import { newestBlock } from '../chain/blocks.ts';
import { expireBlockhashes, makeBlock, rollBack, setAccount } from '../chain/ledger.ts';
import { addFault, FaultRule } from './faults.ts';
import { AnAddress, Count, parseParameters, Signature } from './parameters.ts';
import { invalidParamsError } from './rpc-error.ts';
import type { Methods } from './solana-node.ts';

const Blocks = v.optional(Count, 1);

const SomeAccount = v.strictObject({
  /** A number, or a string if it is too large for a number. */
  lamports: v.union([Count, v.pipe(v.string(), v.regex(/^\d+$/))]),
  /** Base64. */
  data: v.optional(v.string(), ''),
  owner: AnAddress,
  executable: v.optional(v.boolean(), false),
});

/** Methods that no validator has: a test moves time and causes faults with them. They never fail themselves. */
export const localnetMethods: Methods = {
  /** Makes blocks now. Returns the newest slot. */
  localnet_advance({ ledger }, params) {
    const [blocks] = parseParameters(params, Blocks);
    for (let made = 0; made < blocks; made++) makeBlock(ledger);
    ledger.changes++;
    return newestBlock(ledger.chain).slot;
  },

  /** Changes the time between two blocks, in milliseconds; 0: only `localnet_advance` makes blocks. */
  localnet_setSlotMs({ setSlotMs }, params) {
    const [ms] = parseParameters(params, Count);
    setSlotMs(ms);
    return null;
  },

  /** Changes the rent, in lamports per byte, from the next transaction on. Existing accounts keep their lamports. */
  localnet_setRent({ ledger }, params) {
    const [lamportsPerByte] = parseParameters(params, Count);
    ledger.lamportsPerByte = BigInt(lamportsPerByte);
    return null;
  },

  /** Makes every earlier blockhash expire. Returns the newest slot. */
  localnet_expireBlockhashes({ ledger }) {
    expireBlockhashes(ledger);
    return newestBlock(ledger.chain).slot;
  },

  /** Removes the newest blocks that are not final, as a fork does. Returns the newest slot. */
  localnet_rollBack({ ledger }, params) {
    const [blocks] = parseParameters(params, Blocks);
    rollBack(ledger, blocks);
    return newestBlock(ledger.chain).slot;
  },

  /** Replaces an account at every commitment at once; null deletes it. */
  localnet_setAccount({ ledger }, params) {
    const [address, account] = parseParameters(params, AnAddress, v.nullable(SomeAccount));
    const set = account && { ...account, lamports: BigInt(account.lamports), data: base64.decode(account.data) };
    setAccount(ledger, address, set ?? undefined);
    return null;
  },

  /** Lets the node claim that version of a transaction. It shows the transaction otherwise as it is. */
  localnet_claimVersion({ ledger }, params) {
    const [signature, version] = parseParameters(params, Signature, Count);
    const landed = ledger.landed.get(signature);
    if (landed === undefined) throw invalidParamsError('no block includes the transaction');
    ledger.landed.set(signature, { ...landed, claimedVersion: version });
    ledger.changes++;
    return null;
  },

  localnet_fail({ faults }, params) {
    const [rule] = parseParameters(params, FaultRule);
    addFault(faults, rule);
    return null;
  },

  localnet_heal({ faults }) {
    faults.length = 0;
    return null;
  },

  localnet_requests: ({ requests }) => requests,

  localnet_resetRequests({ requests }) {
    requests.http = 0;
    requests.calls = {};
    return null;
  },
};
