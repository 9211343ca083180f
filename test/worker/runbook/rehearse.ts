import { jsonInit } from '../../../tools/localnet/partner/partner-client.ts';
import { rehearseIn } from '../../rehearse.ts';
import { fillIn } from '../../runbook-page.ts';
import type { Answer } from '../http/answer.ts';
import type { Api } from '../http/api.ts';

/** Rehearsals of pages of the runbook in the Worker runtime, where a test can move the clock and fail any part of the platform. */

const pages = import.meta.glob<string>('../../../docs/operators/runbook/*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});

export const rehearse = rehearseIn(Object.values(pages));

/** Sends the request of a `curl` command of the document, as the caller of the API. */
export function send(api: Api, documented: string, values: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const command = fillIn(documented, values);
  const [, method = 'GET', path] = /^curl (?:-X ([A-Z]+) )?\$GATEPASS_URL(\S+)/.exec(command) ?? [];
  if (path === undefined) throw new Error(`the command is no request to the service: ${command}`);
  const [, body] = / -d '(.*)'$/.exec(command) ?? [];
  return api.call(method, path, body === undefined ? undefined : jsonInit(JSON.parse(body)));
}
