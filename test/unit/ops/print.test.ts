import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { lineOf } from '../../../ops/doctor/check.ts';
import { onEach } from '../../../ops/network/targets.ts';
import { Failure, reportFailure } from '../../../terminal/failure.ts';
import { formatTable, print } from '../../../terminal/print.ts';
import { runCommand } from '../../system/ops/run-command.ts';

/** The output of the operator's commands, when a node, a database or a server answers with control characters. */

const HOSTILE = '\u001b[2J\u001b]0;t\u0007\u009b31m\r\nfinished\u2028\u0085\u202e\u2066\u200b\u{e0041}';
const CONTROLS = /[^\P{C}\n]|[\u2028\u2029]/u;

describe("the operator's commands", () => {
  it('print a text as one line without control characters', async () => {
    const { lines } = await runCommand(async () => {
      print(`a${HOSTILE}`, 'b');
      print(...formatTable(['head'], [[HOSTILE], ['cell']]).split('\n'));
      return reportFailure(new Failure(`refused: ${HOSTILE.replace('\n', '')}`));
    }, []);
    expect(lines).toHaveLength(6);
    expect(lines.join('\n')).not.toMatch(CONTROLS);
    expect(lines[0]).toMatch(
      /^a\\u001b\[2J\\u001b\]0;t\\u0007\\u009b31m finished \\u202e\\u2066\\u200b\\udb40\\udc41$/,
    );
  });

  it('print a finding of the doctor and the fault of a node in the same way', async () => {
    const line = lineOf({ name: HOSTILE, verdict: { type: 'failed', why: HOSTILE, remedy: HOSTILE } });
    expect(stripVTControlCharacters(line)).not.toMatch(/[\p{C}\u2028\u2029]/u);
    const target = { changed: { network: 'sepolia' } };
    const fault = await onEach([target, target], () => Promise.reject(new Failure(HOSTILE))).catch((thrown) => thrown);
    expect(fault.message.split('\n')).toHaveLength(2);
  });

  it('print through one filter only', () => {
    const folder = join(import.meta.dirname, '../../../ops');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const direct = files.filter((file) =>
      /\bconsole\.|process\.std(out|err)\.write/.test(readFileSync(join(folder, file), 'utf8')),
    );
    // The doctor prints colors around its filtered lines.
    expect(direct).toEqual(['doctor.ts']);
  });
});
