import { execFile } from 'node:child_process';

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Returns the processes that descend from this one, parents first. Empty on a machine without `ps`. */
export async function descendantsOf(pid: number): Promise<Process[]> {
  const table = await readProcessTable();
  const family: Process[] = [];
  for (let parents = [pid]; parents.length > 0; ) {
    const children = table.filter(({ parent }) => parents.includes(parent));
    family.push(...children);
    parents = children.map((child) => child.pid);
  }
  return family;
}

/** Returns the processes from which this one descends, its parent first. Empty on a machine without `ps`. */
export async function ancestorsOf(pid: number): Promise<Process[]> {
  const byId = new Map((await readProcessTable()).map((each) => [each.pid, each]));
  const line: Process[] = [];
  for (let each = byId.get(byId.get(pid)?.parent ?? 0); each; each = byId.get(each.parent)) line.push(each);
  return line;
}

/** Returns the ids of those processes that still run. */
export async function filterRunning(pids: readonly number[]): Promise<number[]> {
  if (pids.length === 0) return [];
  return (await readProcessTable()).map(({ pid }) => pid).filter((pid) => pids.includes(pid));
}

function readProcessTable(): Promise<Process[]> {
  return new Promise((resolve) => {
    execFile('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { maxBuffer: 64 * 1024 * 1024 }, (_error, stdout) => {
      const rows = [...stdout.matchAll(/^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/gm)];
      // A zombie has ended: only its entry remains until its parent reads the exit code.
      const live = rows.filter(([, , , state]) => !state?.startsWith('Z'));
      resolve(live.map(([, pid, parent, , command = '']) => ({ pid: Number(pid), parent: Number(parent), command })));
    });
  });
}
