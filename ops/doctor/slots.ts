import { parseNetworks } from '../../src/config/network-settings.ts';
import { ConfigError } from '../../src/config/variable.ts';
import { deriveSlot, derivesSmallSlot, slotOf } from '../../src/network/slot.ts';
import { check, type Finding, fail, type Verdict } from './check.ts';

/**
 * Returns a finding for each gatekeeper network whose slot could be the assigned number of another one. All other slots differ:
 * derived slots differ because their keys do, and the configuration refuses one number for two keys.
 * @param gatekeeperNetworks The registered ones.
 */
export function checkSlots(
  gatekeeperNetworks: readonly string[],
  variables: Readonly<Record<string, unknown>>,
): Promise<Finding[]> {
  const slots = slotsIn(variables);
  const small = gatekeeperNetworks.filter(derivesSmallSlot);
  return Promise.all(
    small.map((key) => check(`slot of ${key}`, () => smallSlotVerdict(deriveSlot(key), gatekeeperNetworks, slots))),
  );
}

function smallSlotVerdict(slot: bigint, registered: readonly string[], slots: Slots): Verdict {
  const sharer = registered.find((key) => slotOf(key, slots) === slot);
  const shared =
    sharer === undefined ? 'could be the number of another gatekeeper network' : `is also the slot of ${sharer}`;
  return fail(
    `its slot on Ethereum-type networks is ${slot}, which ${shared}: the service answers its partners 403 client_unknown`,
    sharer === undefined
      ? 'register them with another gatekeeper network'
      : `register them with another gatekeeper network, and compare the passes of ${sharer} with your records`,
  );
}

type Slots = ReturnType<typeof parseNetworks>['slots'];

/** Returns the configured slots, or none if the variables are invalid, which another check reports. */
function slotsIn(variables: Readonly<Record<string, unknown>>): Slots {
  try {
    return parseNetworks(variables).slots;
  } catch (error) {
    if (error instanceof ConfigError) return {};
    throw error;
  }
}
