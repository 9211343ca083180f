import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../../terminal/wrangler.ts';
import type { Platform } from '../platform/platform.ts';

/** The schedules of the Worker. */

// Wrangler has a parser of the file, and takes most of a second to load.
const [, crons = ''] = /^crons = (.*)$/m.exec(readFileSync(join(PROJECT, 'wrangler.toml'), 'utf8')) ?? [];

export const SCHEDULES = JSON.parse(crons) as readonly [nightly: string, hourly: string];
export const [NIGHTLY, HOURLY] = SCHEDULES;

/** Runs a schedule now. */
export const runSchedule = (platform: Platform, cron: string): void => void platform.runSchedule(cron).catch(() => {});

/** Runs each schedule as time passes, at its minute of each hour or of one. */
export function runSchedules(platform: Platform): void {
  for (const cron of SCHEDULES) runAtTimes(platform, cron);
}

function runAtTimes(platform: Platform, cron: string): void {
  const [minute, hour] = cron.split(' ').map((part) => (part === '*' ? undefined : Number(part)));
  const period = hour === undefined ? 3_600_000 : 86_400_000;
  const first = ((hour ?? 0) * 60 + (minute ?? 0)) * 60_000;
  const { scheduler } = platform;
  const next = () => {
    const passed = (((scheduler.now - first) % period) + period) % period;
    scheduler.after(period - passed, `schedule ${cron}`, () => {
      runSchedule(platform, cron);
      next();
    });
  };
  next();
}
