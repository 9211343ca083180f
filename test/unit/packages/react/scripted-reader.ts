import type { PassReader, Reading } from '../../../../packages/react/src/core.ts';

/** An answer that the test gives when it wants. */
interface Pending {
  readonly signal: AbortSignal;
  answer(reading: Partial<Reading>): Promise<void>;
  fail(): Promise<void>;
}

export const NOW = 1_800_000_000;
const NONE: Reading = { valid: false, state: 'NONE', time: NOW };
export const ACTIVE = { valid: true, state: 'ACTIVE' } as const;

/** Lets everything run that waits for nothing. */
export const settle = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

/** Returns a reader whose answers the test gives, in any order. */
export function scriptedReader(key = 'sepolia') {
  const reads: Pending[] = [];
  const reader: PassReader = {
    key,
    read: (_, signal) =>
      new Promise((resolve, reject) => {
        reads.push({
          signal,
          answer: async (reading) => {
            resolve({ ...NONE, ...reading });
            await settle();
          },
          fail: async () => {
            reject(new Error('no node'));
            await settle();
          },
        });
      }),
  };
  return { reader, reads, last: () => reads.at(-1) as Pending };
}
