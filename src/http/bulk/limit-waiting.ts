import type { Config } from '../../config/config.ts';
import type { Backend } from '../../operations/backend.ts';
import type { PassName } from '../../pass/pass.ts';
import type { Partner } from '../../store/partners.ts';
import type { Order } from './read-items.ts';

/**
 * Returns the passes whose orders exceed the limit of waiting work on their network. The first orders of each network get the room.
 * @param orders Only those that the limit concerns.
 */
export async function ordersBeyondLimit(
  orders: Iterable<readonly [PassName, Order<unknown>]>,
  partner: Partner,
  config: Config,
  backend: Backend,
): Promise<Set<PassName>> {
  const byNetwork = Map.groupBy(orders, ([, { network }]) => network);
  const beyond = [...byNetwork].map(async ([network, group]) => {
    const room = await backend.waitingWork.acceptItems(group.length, partner, network, config, backend);
    return group.slice(room).map(([name]) => name);
  });
  return new Set((await Promise.all(beyond)).flat());
}
