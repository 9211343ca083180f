/** Returns the result of the work, or `late` if it takes longer than `ms` milliseconds. The work itself continues. */
export async function withTimeout<T, L>(ms: number, work: Promise<T>, late: L): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  return Promise.race([work, over]).finally(() => clearTimeout(timer));
}

/** Returns the result of the work. Throws if `what` does not answer within `ms` milliseconds. The work itself continues. */
export async function within<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  const result = await withTimeout(ms, work, LATE);
  if (result === LATE) throw new Error(`${what} did not answer within ${ms} ms`);
  return result;
}

const LATE = Symbol('late');
