import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Child } from '../../terminal/child-process.ts';

/** A program that restarts when its file has changed. */
export interface Restarting {
  /** Resolves to the exit code when the program has ended by itself or was stopped; undefined after a signal. Then nothing restarts it. */
  readonly ended: Promise<number | undefined>;
  /** Restarts the program now if its file has changed. Resolves when it is ready. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a program, and restarts it after each change of the file's content.
 * @param untilReady Resolves when the program is ready. Rejects if it does not become ready, and then the first start fails.
 */
export async function restartOnChange(
  file: string,
  launch: () => Promise<Child>,
  untilReady: (child: Child, isFirst: boolean) => Promise<void>,
): Promise<Restarting> {
  const read = () => readFile(file, 'utf8');
  let content = await read();
  let child = await launch();
  let isReplacing = false;
  let isOver = false;
  const over = Promise.withResolvers<number | undefined>();
  const follow = (started: Child) =>
    started.ended.then((code) => {
      if (isReplacing && started === child) return;
      isOver = true;
      over.resolve(code);
    });
  follow(child);
  await untilReady(child, true).catch(async (failure) => {
    await child.stop();
    throw failure;
  });

  async function replace(): Promise<void> {
    // An editor may replace the file, so that it is away for a moment. Its next event follows.
    const changed = await read().catch(() => content);
    if (isOver || changed === content) return;
    content = changed;
    isReplacing = true;
    await child.stop();
    child = await launch();
    isReplacing = false;
    follow(child);
    // Its log says why it is not ready. The next change restarts it again.
    await untilReady(child, false).catch(() => undefined);
  }
  let turn = Promise.resolve();
  const restart = () => {
    turn = turn.then(replace);
    return turn;
  };
  // Not the file itself: a watch would follow a file that an editor has replaced.
  const watcher = watch(dirname(file), { persistent: false }, (_, name) => {
    if (name === basename(file)) void restart();
  });
  const ended = over.promise.finally(() => watcher.close());
  return {
    ended,
    restart,
    async stop() {
      watcher.close();
      await turn;
      await child.stop();
    },
  };
}
