import { join } from 'node:path';
import { type Child, startChild } from '../../../terminal/child-process.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';

const PROGRAM = join(PROJECT, 'ops', 'takeover.ts');
/** Prints the peak memory of a program at its end, in kilobytes. */
const PRINT_PEAK = `data:text/javascript,process.on('exit',()=>console.error('peak memory:',process.resourceUsage().maxRSS))`;

/** A scan of any size must fit into this heap. The modules alone need more than half of it. */
const HEAP = '--max-old-space-size=96';

export interface Takeover {
  readonly code: number | undefined;
  readonly lines: readonly string[];
  readonly peakMegabytes: number;
}

/** Runs `npm run takeover` with these arguments. */
export async function runTakeover(args: readonly string[]): Promise<Takeover> {
  const { child, lines } = await startTakeover(args, [HEAP, '--import', PRINT_PEAK]);
  const code = await child.ended;
  const peak = lines.findIndex((line) => line.startsWith('peak memory: '));
  const [line = ''] = peak < 0 ? [] : lines.splice(peak, 1);
  return { code, lines, peakMegabytes: Number(line.split(' ').at(-1)) / 1_000 };
}

export async function startTakeover(
  args: readonly string[],
  nodeOptions: readonly string[] = [],
): Promise<{ child: Child; lines: string[] }> {
  const lines: string[] = [];
  const child = await startChild(process.execPath, [...nodeOptions, PROGRAM, ...args], {
    onLine: (line) => lines.push(line),
  });
  return { child, lines };
}
