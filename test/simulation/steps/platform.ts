import fc from 'fast-check';
import type { Probabilities } from '../world/weather.ts';
import { type Kinds, kind } from './kind.ts';

/** The faults of the platform. */

/** A message that always fails is a dead letter by then. */
const DEAD_LETTER_SECONDS = 65;

export const PLATFORM_STEPS: Kinds = {
  crash: kind(
    { weight: 5, prompt: 3, late: 2 },
    [fc.constantFrom('PASSES', 'SIGNERS', 'WATCHERS', 'WEBHOOKS', 'QUOTAS', 'AUDITS'), fc.nat(5)],
    (binding, index) => `an object crashes: ${binding} ${index}`,
    (world, binding, index) => world.crashes.crash(binding as 'PASSES', index),
  ),
  'crash-later': kind(
    { weight: 5, prompt: 3 },
    [fc.constantFrom('PASSES', 'SIGNERS', 'WATCHERS'), fc.nat(5), fc.integer({ min: 1, max: 60 })],
    (binding, index, tasks) => `an object crashes ${tasks} tasks later: ${binding} ${index}`,
    (world, binding, index, tasks) => world.crashes.crashAfter(tasks, binding as 'PASSES', index),
  ),
  kill: kind(
    { weight: 2 },
    [fc.nat(3)],
    (index) => `a request or a batch ends where it is: ${index}`,
    (world, index) => world.crashes.killEvent(index),
  ),
  weather: kind(
    { weight: 3 },
    [
      fc.constantFrom<keyof Probabilities>(
        'loss',
        'delay',
        'twice',
        'lag',
        'lateAlarm',
        'lostAlarm',
        'doubledAlarm',
        'refusal',
      ),
      fc.constantFrom(0, 0.1, 0.4),
    ],
    (what, share) => `from now on, ${what} has the probability ${share}`,
    (world, what, share) => {
      world.weather.probabilities = { ...world.weather.probabilities, [what]: share };
    },
  ),
  database: kind(
    { weight: 1 },
    [fc.constantFrom(3, 15, 60)],
    (seconds) => `D1 does not answer for ${seconds} s`,
    (world, seconds) => {
      world.weather.databaseAwayUntil = world.now + seconds * 1_000;
      world.incidents.outageUntil = Math.max(world.incidents.outageUntil, world.weather.databaseAwayUntil);
    },
  ),
  full: kind(
    { weight: 1 },
    [fc.constantFrom(15, 60, 300)],
    (seconds) => `D1 has no room for ${seconds} s`,
    (world, seconds) => {
      const { weather, incidents, now } = world;
      weather.databaseFullUntil = now + seconds * 1_000;
      incidents.fullTimes.push({ from: now, until: weather.databaseFullUntil });
      // The time between two tries of a settled pass doubles, so the last one may come that much later.
      incidents.outageUntil = Math.max(incidents.outageUntil, now + 2 * seconds * 1_000);
    },
  ),
  away: kind(
    { weight: 2 },
    [
      fc.constantFrom('PASSES', 'PASSES', 'PASSES', 'SIGNERS', 'QUOTAS', 'AUDITS', 'WEBHOOKS'),
      fc.constantFrom(5, 20, 90, 90),
    ],
    (binding, seconds) => `no call reaches the objects ${binding} for ${seconds} s`,
    async (world, binding, seconds) => {
      world.weather.awayUntil.set(binding, world.now + seconds * 1_000);
      // Messages end as dead letters only after a minute.
      if (seconds > DEAD_LETTER_SECONDS) await world.pass(DEAD_LETTER_SECONDS);
    },
  ),
  calm: kind(
    { weight: 2 },
    [],
    () => 'the platform has no faults',
    (world) => world.weather.clear(),
  ),
};
