import { vi } from 'vitest';

/** The exit code of a command, and the lines that it printed. */
export interface CommandResult {
  readonly code: number;
  readonly lines: readonly string[];
  /** The lines as one text. */
  readonly printed: string;
}

/** Runs an operator's command in this process, which saves the start of a process. */
export async function runCommand(
  command: (args: readonly string[]) => Promise<number>,
  args: readonly string[],
): Promise<CommandResult> {
  const lines: string[] = [];
  const spies = (['log', 'error'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((text) => {
      lines.push(...String(text).split('\n'));
    }),
  );
  try {
    const code = await command(args);
    return { code, lines, printed: lines.map((line) => `${line}\n`).join('') };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
