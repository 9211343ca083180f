import * as v from 'valibot';
import {
  ChainName,
  expiryTimestamp,
  hasChange,
  NetworkName,
  NO_CHANGE,
  REVOKES_WITH_EXPIRY,
  revokesWithoutExpiry,
  UpdateFields,
  Wallet,
} from './requests.ts';

const ITEMS_MAX = 100;

const PASS_OF_ITEM = {
  chain: v.strictObject({ type: ChainName, network: NetworkName }),
  walletAddress: Wallet,
};

/** A pass to issue. */
export const IssueItem = v.strictObject({ ...PASS_OF_ITEM, expiryTimestamp: expiryTimestamp() });

const UpdateItemFields = v.strictObject({ ...PASS_OF_ITEM, ...UpdateFields.entries });
type ItemUpdate = v.InferOutput<typeof UpdateItemFields>;

/** A pass to change. */
export const UpdateItem = v.pipe(
  UpdateItemFields,
  v.check<ItemUpdate, string>(hasChange, NO_CHANGE),
  v.forward(v.check<ItemUpdate, string>(revokesWithoutExpiry, REVOKES_WITH_EXPIRY), ['expiryTimestamp']),
);

/** Accepts any value, because the handler validates each item by itself. The OpenAPI document shows the schema of the item. */
const itemOf = (validated: v.GenericSchema) => ({ ...v.unknown(), validated });

const itemsOf = (item: v.GenericSchema) =>
  v.strictObject({
    items: v.pipe(
      v.array(itemOf(item), 'must be a list of items'),
      v.minLength(1, 'must have at least one item'),
      v.maxLength(ITEMS_MAX, `must have at most ${ITEMS_MAX} items`),
    ),
  });

export const IssueManyBody = itemsOf(IssueItem);
export const UpdateManyBody = itemsOf(UpdateItem);
