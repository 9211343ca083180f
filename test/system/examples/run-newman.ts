import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../run-program.ts';

const NEWMAN = [process.execPath, 'node_modules/newman/bin/newman.js', 'run'];
const COLLECTION = 'examples/gatepass.postman_collection.json';

/** The outcome of a run, with the answers to the requests in order. */
export interface Run {
  readonly code: number | null;
  readonly answers: readonly { readonly name: string; readonly status: number; readonly body: unknown }[];
  readonly failures: readonly string[];
}

interface Report {
  readonly executions: readonly {
    readonly item: { readonly name: string };
    readonly response?: { readonly code: number; readonly stream: { readonly data: readonly number[] } };
  }[];
  readonly failures: readonly { readonly error: { readonly message: string } }[];
}

/** Runs the named folders or requests of the Postman collection with these variables. */
export async function runNewman(only: readonly string[], variables: Readonly<Record<string, string>>): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-newman-'));
  const report = join(folder, 'report.json');
  const folders = only.flatMap((name) => ['--folder', name]);
  const values = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  try {
    const reporter = ['--reporters', 'json', '--reporter-json-export', report];
    const { code } = await runProgram([...NEWMAN, COLLECTION, ...folders, ...values, ...reporter], {});
    const { executions, failures }: Report = JSON.parse(readFileSync(report, 'utf8')).run;
    // The report lists a request twice if the request's script fetched a token first.
    const requests = new Map(executions.map((each) => [each.item.name, each])).values();
    return {
      code,
      answers: [...requests].map(({ item, response }) => ({
        name: item.name,
        status: response?.code ?? 0,
        body: response && bodyOf(Buffer.from(response.stream.data).toString()),
      })),
      failures: failures.map(({ error }) => error.message),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the JSON of a body. The metrics are text. */
function bodyOf(text: string): unknown {
  return text.startsWith('# ') ? text : JSON.parse(text);
}
