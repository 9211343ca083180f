import { readFileSync } from 'node:fs';

/** Memory of a Worker, in bytes. */
export interface MemoryUse {
  /** The JavaScript heap after garbage collection. */
  readonly heapBytes: number;
  /** The whole process of the runtime. */
  readonly residentBytes: number;
}

export interface Inspector {
  readMemory(): Promise<MemoryUse>;
  close(): void;
}

/** Queries a Worker of the local runtime with the inspector protocol. */
export async function openInspector(url: string, pid: number): Promise<Inspector> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, (result: unknown) => void>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const { promise: open, resolve, reject } = Promise.withResolvers<unknown>();
  socket.addEventListener('open', resolve);
  socket.addEventListener('error', () => reject(new Error(`no inspector answers at ${url}`)));
  await open;
  const ask = <Result>(method: string) =>
    new Promise<Result>((resolve) => {
      last += 1;
      waiting.set(last, (result) => resolve(result as Result));
      socket.send(JSON.stringify({ id: last, method }));
    });
  return {
    async readMemory() {
      // The second collection removes objects that the first one left to finalizers.
      await ask('HeapProfiler.collectGarbage');
      await ask('HeapProfiler.collectGarbage');
      const { usedSize } = await ask<{ usedSize: number }>('Runtime.getHeapUsage');
      return { heapBytes: usedSize, residentBytes: residentBytesOf(pid) };
    },
    close: () => socket.close(),
  };
}

function residentBytesOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
