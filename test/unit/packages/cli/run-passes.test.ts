import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Plan } from '../../../../packages/cli/src/csv/plan-rows.ts';
import { openResultFile, type Repeated } from '../../../../packages/cli/src/run/result-file.ts';
import { type RequestedPass, type RunParts, runPasses } from '../../../../packages/cli/src/run/run-passes.ts';
import {
  type FeedEvent,
  GatepassProblem,
  type ItemOutcome,
  type Pass,
} from '../../../../packages/client/src/gatepass.ts';
import { randomFrom } from '../../../system/faults/random.ts';

/** A run over many passes that is killed at random moments. `test/system/packages/cli` runs the command with the real service. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-run-'));
afterAll(() => rmSync(folder, { recursive: true }));

const OWNER = { service: 'https://passes.example', client: 'acme' };
const RESUME: Repeated = { all: false, failed: false, accepted: true };
const names = (count: number) => Array.from({ length: count }, (_, index) => `sepolia/wallet-${index}`);
const planOf = (passes: readonly string[]): Plan => ({
  passes: new Map(passes.map((name) => [name, undefined])),
  names: { reference: new Map(), subject: new Map() },
  skipped: new Map(),
  ignoredColumns: [],
  faults: [],
  faultCount: 0,
});

class Killed extends Error {}

/** A service that settles some passes later, refuses some for a time, and refuses every seventh for good. */
class RandomService {
  readonly #random: () => number;
  readonly #events: FeedEvent[] = [];
  readonly #accepted = new Set<string>();
  readonly settled = new Set<string>();
  clock = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  static refuses = (name: string) => Number(name.split('-')[1]) % 7 === 3;
  static rejects = (name: string) => Number(name.split('-')[1]) % 7 === 5;

  send(requested: readonly RequestedPass[]): ItemOutcome[] {
    expect(requested.length).toBeLessThanOrEqual(100);
    return requested.map(({ name }) => {
      if (RandomService.refuses(name)) return { problem: problem(409, 'pass_revoked') };
      if (this.#random() < 0.2) return { problem: problem(this.#random() < 0.5 ? 429 : 503, 'waiting_limit_reached') };
      const isSettled = this.settled.has(name);
      this.#accepted.add(name);
      // An event may come before the answer, which does not know of it.
      if (this.#random() < 0.3) this.#settle(name);
      return { pass: passOf(name), isSettled };
    });
  }

  advance(): void {
    this.clock += 1_000;
    for (const name of this.#accepted) if (this.#random() < 0.3) this.#settle(name);
  }

  readEvents(after: number) {
    const events = this.#events.filter(({ sequence }) => sequence > after).slice(0, 7);
    const next = events.at(-1)?.sequence ?? after;
    return { events, next, more: next < this.#events.length };
  }

  get newest(): number {
    return this.#events.length;
  }

  #settle(name: string): void {
    if (this.settled.has(name)) return;
    const isRejected = RandomService.rejects(name);
    if (!isRejected) this.settled.add(name);
    const event = {
      eventType: '',
      timestamp: 1,
      ...(isRejected ? { reason: 'the chain said no' } : { transaction: { identifier: '0x1', status: 'confirmed' } }),
    };
    const type = isRejected ? 'pass.rejected' : 'pass.issued';
    const sequence = this.#events.length + 1;
    this.#events.push({
      id: `x.${sequence}`,
      sequence,
      type,
      timestamp: '',
      data: { event, pass: passOf(name) },
    } as FeedEvent);
    if (isRejected) this.#accepted.delete(name);
  }
}

const passOf = (name: string) =>
  ({
    id: `id-${name}`,
    chain: { network: 'sepolia' },
    walletAddress: name.split('/')[1],
    state: 'ACTIVE',
    events: [],
  }) as unknown as Pass;

function problem(status: number, code: string): GatepassProblem {
  const headers = new Headers(status === 409 ? {} : { 'retry-after': '2' });
  return new GatepassProblem({ status, headers }, { code, detail: 'see there', requestId: 'r' });
}

/** Runs once, like the command, and is killed at one of its actions. */
async function runOnce(path: string, plan: Plan, service: RandomService, killAt: () => boolean): Promise<void> {
  const step = () => {
    if (killAt()) throw new Killed();
  };
  const file = await openResultFile(path, plan, OWNER, RESUME);
  const parts: RunParts = {
    async send(requested) {
      step();
      const outcomes = service.send(requested);
      step();
      return outcomes;
    },
    async readEvents(after) {
      step();
      return service.readEvents(after);
    },
    fetchPass: async (name) => passOf(name),
    record(results) {
      file.append(results);
      step();
    },
    onProgress: () => undefined,
    note: () => undefined,
    async pause() {
      service.advance();
    },
    now: () => service.clock,
  };
  await runPasses('issue', plan.passes, file.earlier, service.newest, parts);
}

const rowsIn = (path: string): Record<string, string>[] => parse(readFileSync(path), { columns: true });

describe('a run that is killed at random moments', () => {
  it('has each pass once in its result file, with the right outcome', async () => {
    let files = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 250 }), async (seed, count) => {
        files += 1;
        const path = join(folder, `${files}.results.csv`);
        const random = randomFrom(seed).next;
        const service = new RandomService(random);
        const plan = planOf(names(count));
        for (let kills = 0; ; kills += 1) {
          const isLast = kills === 5;
          const finished = await runOnce(path, plan, service, () => !isLast && random() < 0.05).then(
            () => true,
            (fault) => {
              if (!(fault instanceof Killed)) throw fault;
              return false;
            },
          );
          if (finished) break;
          // A killed process may have written a part of its last line.
          if (random() < 0.5) appendFileSync(path, 'ethereum,sepolia,wall');
        }
        const rows = rowsIn(path);
        expect(rows.map(({ walletAddress }) => `sepolia/${walletAddress}`).toSorted()).toEqual(names(count).toSorted());
        for (const { walletAddress, outcome, detail } of rows) {
          const name = `sepolia/${walletAddress}`;
          if (RandomService.refuses(name)) expect([outcome, detail]).toEqual(['failed', 'pass_revoked: see there']);
          else if (RandomService.rejects(name)) expect([outcome, detail]).toEqual(['failed', 'the chain said no']);
          else expect(outcome).toBe('settled');
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('a pass that waits', () => {
  const NAME = 'sepolia/wallet-1';
  const issued = (sequence: number, type: string): FeedEvent =>
    ({
      id: 'x',
      sequence,
      type,
      timestamp: '',
      data: {
        event: { eventType: 'x', timestamp: 1, transaction: { identifier: '0x1', status: 'confirmed' } },
        pass: passOf(NAME),
      },
    }) as FeedEvent;

  /** Runs one pass against these pages of the feed. Returns its results, and how often it was sent. */
  async function follow(
    pages: (GatepassProblem | { events: FeedEvent[]; next: number })[],
    found?: Pass,
    settlesAfter = Infinity,
  ) {
    let clock = 0;
    let sent = 0;
    const results: unknown[] = [];
    const parts: RunParts = {
      async send() {
        sent += 1;
        return [{ pass: passOf(NAME), isSettled: sent > settlesAfter }];
      },
      async readEvents(after) {
        const page = sent === 0 ? undefined : pages.shift();
        if (page instanceof GatepassProblem) throw page;
        return { events: [], next: after, ...page, more: false };
      },
      fetchPass: async () => found,
      record: (some) => void results.push(...some),
      onProgress: () => undefined,
      note: () => undefined,
      async pause(ms) {
        clock += ms;
        // The loops of the run take turns.
        await Promise.resolve();
      },
      now: () => clock,
    };
    await runPasses(found === undefined ? 'issue' : 'freeze', new Map([[NAME, undefined]]), new Map(), 0, parts);
    return { results, sent };
  }

  it('fails as superseded if somebody else has changed it before anything was sent', async () => {
    const { results } = await follow([], { ...passOf(NAME), state: 'ACTIVE' } as Pass);
    expect(results).toEqual([
      { name: NAME, expiry: undefined, outcome: 'failed', detail: 'superseded', pass: `id-${NAME}` },
    ]);
  });

  it('is sent again if the feed has lost events, or a database was restored', async () => {
    const expired = new GatepassProblem(
      { status: 410, headers: new Headers() },
      { code: 'cursor_expired', detail: '', requestId: 'r', oldest: 9 },
    );
    const restored = { id: 'restored.1', sequence: 5, type: 'feed.restored', timestamp: '' } as FeedEvent;
    for (const page of [expired, { events: [restored], next: 5 }]) {
      const { results, sent } = await follow([page], undefined, 1);
      expect([results.length, sent]).toEqual([1, 2]);
    }
  });

  it('ends with the event of its issuance', async () => {
    const { results, sent } = await follow([
      { events: [issued(1, 'pass.expiring'), issued(2, 'pass.issued')], next: 2 },
    ]);
    expect([results.length, sent]).toEqual([1, 1]);
  });
});

describe('the result file', () => {
  const path = join(folder, 'file.csv');
  const plan = planOf(names(3));
  const [one = '', two = '', three = ''] = names(3);
  const settled = { expiry: undefined, outcome: 'settled' } as const;
  const open = (repeated: Partial<Repeated> = {}, owner = OWNER, of = plan) =>
    openResultFile(path, of, owner, { ...RESUME, ...repeated });
  const fill = async () => {
    const file = await open({ all: true });
    file.append([
      { name: one, ...settled, pass: 'p', transaction: '0x1' },
      { name: two, expiry: undefined, outcome: 'failed', detail: 'quota_reached: a "quoted",\nlong text' },
      { name: three, expiry: undefined, outcome: 'accepted' },
    ]);
  };

  it('keeps results on one line each, and repeats only those that the run repeats', async () => {
    await fill();
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(4);
    expect([...(await open({ accepted: false })).earlier.keys()]).toEqual([one, two, three]);
    expect([...(await open()).earlier.keys()]).toEqual([one, two]);
    expect([...(await open({ failed: true })).earlier]).toEqual([[one, { outcome: 'settled', code: '' }]]);
    expect(rowsIn(path).map(({ walletAddress }) => walletAddress)).toEqual(['wallet-0']);
    expect([...(await open({ all: true })).earlier]).toEqual([]);
  });

  it('repeats a pass whose requested expiry has changed', async () => {
    await fill();
    const changed: Plan = {
      ...plan,
      passes: new Map([
        [one, 5],
        [two, undefined],
        [three, undefined],
      ]),
    };
    expect([...(await open({ accepted: false }, OWNER, changed)).earlier.keys()]).toEqual([two, three]);
  });

  it('keeps the results of passes that the input no longer has', async () => {
    await fill();
    await open({ failed: true }, OWNER, planOf([two]));
    expect(rowsIn(path).map(({ walletAddress }) => walletAddress)).toEqual(['wallet-0', 'wallet-2']);
  });

  it('is refused if it is of another service or client, or no result file', async () => {
    await fill();
    const before = readFileSync(path, 'utf8');
    for (const owner of [
      { ...OWNER, client: 'globex' },
      { ...OWNER, service: 'http://127.0.0.1:8787' },
    ])
      await expect(open({}, owner)).rejects.toThrow(`has results of ${OWNER.service} for acme. Move it away`);
    expect(readFileSync(path, 'utf8')).toBe(before);
    writeFileSync(path, 'a,b\n1,2\n');
    await expect(open()).rejects.toThrow('is not a result file');
  });
});
