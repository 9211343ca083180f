import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Run } from '../system/examples/run-collection.ts';
import { runProgram } from '../system/run-program.ts';

const NEWMAN = join(import.meta.dirname, 'postman/node_modules/newman/bin/newman.js');
const COLLECTION = 'examples/gatepass.postman_collection.json';

interface Report {
  readonly executions: readonly {
    readonly item: { readonly name: string };
    readonly response?: { readonly code: number; readonly stream: { readonly data: readonly number[] } };
  }[];
  readonly failures: readonly { readonly error: { readonly message: string } }[];
}

/** Runs the named folders or requests of the Postman collection with these variables in Newman. */
export async function runNewman(only: readonly string[], variables: Readonly<Record<string, string>>): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-newman-'));
  const report = join(folder, 'report.json');
  const folders = only.flatMap((name) => ['--folder', name]);
  const values = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  try {
    const reporter = ['--reporters', 'json', '--reporter-json-export', report];
    await runProgram([process.execPath, NEWMAN, 'run', COLLECTION, ...folders, ...values, ...reporter], {});
    const { executions, failures }: Report = JSON.parse(readFileSync(report, 'utf8')).run;
    // The report lists a request twice if the request's script fetched a token first.
    const requests = new Map(executions.map((each) => [each.item.name, each])).values();
    return {
      answers: [...requests].map(({ item, response }) => ({
        name: item.name,
        status: response?.code ?? 0,
        body: response && Buffer.from(response.stream.data).toString(),
      })),
      failures: failures.map(({ error }) => error.message),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
