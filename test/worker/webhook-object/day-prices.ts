import { TURNS_PER_SECOND } from '../../../src/quota-object/host-turns.ts';
import { MAX_WEBHOOKS } from '../../../src/store/feed.ts';

/** Cloudflare's prices, as in docs/operators/cost.md. */
const ROW_USD = 1 / 1e6;
const CALL_USD = 0.15 / 1e6;
const GB_SECOND_USD = 12.5 / 1e6;
const OBJECT_GB = 0.128;

const DAY_SECONDS = 86_400;
const TURNS_PER_CALL = 10;

const deliveriesPerDay = MAX_WEBHOOKS * TURNS_PER_SECOND * DAY_SECONDS;

/** A gatekeeper network whose five webhooks, each at a host of its own, deliver as fast as they may for a whole day. */
export const DAY_PRICES = {
  deliveriesPerDay,
  /** Returns dollars: the rows, the calls for turns, and the objects of the webhooks and their quota, which never rest. */
  costOf: (rowsPerDelivery: number) =>
    deliveriesPerDay * (rowsPerDelivery * ROW_USD + CALL_USD / TURNS_PER_CALL) +
    (MAX_WEBHOOKS + 1) * DAY_SECONDS * OBJECT_GB * GB_SECOND_USD,
};
