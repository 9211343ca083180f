import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Failure, reportFailure } from '../terminal/failure.ts';

/**
 * Writes a generated file. With `--check`, ends with 1 and the complaint if the file has another text.
 * @param generate Returns the text.
 */
export function writeGenerated(file: string, complaint: string, generate: () => string): void {
  try {
    const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
    const text = generate();
    if (!values.check) writeFileSync(file, text);
    else if (readFileSync(file, 'utf8') !== text) throw new Failure(complaint);
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}
