import * as v from 'valibot';
import { annotate, countField } from './fields.ts';
import { Problem } from './problem.ts';
import { PassRecord } from './replies.ts';

/** The replies of bulk requests. Only the OpenAPI generator and the tests load them. */

const status = (description: string, example: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599), annotate(description, example));

export const AcceptedItem = v.pipe(
  v.object({
    status: status('The status that the single request would get.', 202),
    settled: v.pipe(
      v.boolean(),
      annotate(
        'Whether nothing is left to do on chain. Otherwise an event of the feed shows the end of the change.',
        false,
      ),
    ),
    record: PassRecord,
  }),
  v.description('An accepted item.'),
);

export const RefusedItem = v.pipe(
  v.object({
    status: status('The status that the single request would get.', 409),
    problem: Problem,
    retryAfter: v.optional(countField('Seconds after which a retry makes sense, as in `Retry-After`.', 60)),
  }),
  v.description('A refused item. Pointers of its errors begin with `/items/` and its index.'),
);

export const ItemResults = v.pipe(
  v.object({
    results: v.pipe(
      v.array(v.union([AcceptedItem, RefusedItem])),
      v.minLength(1),
      v.maxLength(100),
      v.description(
        'The result of each item, in the order of the items. An item has either a `record` or a `problem`.',
      ),
    ),
  }),
  v.description('The results of a bulk request.'),
);
