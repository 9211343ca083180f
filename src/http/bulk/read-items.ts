import type { GenericSchema, InferOutput } from 'valibot';
import type { Network } from '../../network/network.ts';
import { type PassKey, type PassName, passName } from '../../pass/pass.ts';
import type { PassTarget } from '../pass/pass-target.ts';
import { BODY_MAX_DEPTH, exceedsDepth, TOO_DEEP } from '../protocol/json-body.ts';
import { type FieldError, type Refusal, refuse } from '../protocol/problem.ts';
import { isRefusal } from '../protocol/reply.ts';
import { validate } from '../protocol/validate.ts';

/** The request for one pass. Several items may name the same pass. */
export interface Order<Wish> {
  readonly key: PassKey;
  readonly network: Network;
  readonly wish: Wish;
}

/** The items of a bulk request. */
export interface Items<Wish> {
  /** For each item, the pass that it names, or why it is refused. */
  readonly items: readonly (PassName | Refusal)[];
  readonly orders: ReadonlyMap<PassName, Order<Wish>>;
}

/** The body and its list of items are two levels. */
const ITEM_MAX_DEPTH = BODY_MAX_DEPTH - 2;

/**
 * Reads the items one by one, so that a bad item stops no other. Refuses the whole request if two items ask for different changes of
 * one pass.
 * @param targetOf Returns the pass of a valid item, or why the item is refused.
 * @param wishOf Returns the request of the item as plain values, which can be compared.
 */
export function readItems<Schema extends GenericSchema, Wish>(
  inputs: readonly unknown[],
  schema: Schema,
  targetOf: (item: InferOutput<Schema>) => PassTarget | Refusal,
  wishOf: (item: InferOutput<Schema>) => Wish,
): Items<Wish> | Refusal {
  const orders = new Map<PassName, Order<Wish> & { readonly index: number }>();
  const conflicts: FieldError[] = [];
  const items = inputs.map((input, index) => {
    if (exceedsDepth(input, ITEM_MAX_DEPTH)) return TOO_DEEP;
    const valid = validate(schema, input);
    if (isRefusal(valid)) return atItem(valid, index);
    const item = valid.output as InferOutput<Schema>;
    const target = targetOf(item);
    if (isRefusal(target)) return atItem(target, index);
    const [name, wish] = [passName(target.key), wishOf(item)];
    const other = orders.get(name);
    if (other === undefined) orders.set(name, { ...target, wish, index });
    else if (!isSame(other.wish, wish)) conflicts.push(...conflictOf(other.index, index));
    return name;
  });
  return conflicts.length > 0
    ? refuse('invalid_request', { errors: conflicts.slice(0, MAX_ERRORS) })
    : { items, orders };
}

const MAX_ERRORS = 20;

const pointerTo = (index: number) => `/items/${index}`;

/** Returns the refusal with pointers into the body of the whole request. */
function atItem(refusal: Refusal, index: number): Refusal {
  const errors = refusal.errors?.map(({ pointer, detail }) => ({ pointer: pointerTo(index) + pointer, detail }));
  return { ...refusal, errors };
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function conflictOf(first: number, second: number): FieldError[] {
  const differs = (other: number) => `asks for another change of the same pass than ${pointerTo(other)}`;
  return [
    { pointer: pointerTo(first), detail: differs(second) },
    { pointer: pointerTo(second), detail: differs(first) },
  ];
}
