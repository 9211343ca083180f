import type { Secret } from '../lib/secret.ts';
import { endpointRequestOf } from './endpoint-auth.ts';
import type { RpcAnswer, RpcError } from './rpc-answer.ts';

/** So many characters in a row that the URL has too are taken for a part of its key. */
const MATCH_MIN_CHARS = 6;
const HIDDEN = '[hidden]';
/** What is read of a text, and what is shown of it. */
const READ_MAX_CHARS = 2_000;
const SHOWN_MAX_CHARS = 200;

/**
 * What a node says, fit to be shown in logs and to operators: printable ASCII of at most 200 characters, without anything
 * of the URL that it was asked by. Providers quote the key in it ("invalid project id …"), whole or in part, in other
 * case or percent-encoded.
 */
export function redactUrl(url: Secret<string>, text: string): string {
  const { authorization = '' } = endpointRequestOf(url()).headers;
  const known = decodePercent(`${url()}\n${authorization}`).toLowerCase();
  const said = toPrintable(decodePercent(text.slice(0, READ_MAX_CHARS)));
  const low = said.toLowerCase();
  let shown = '';
  let hiddenTo = -1;
  for (let at = 0; at < said.length && shown.length < SHOWN_MAX_CHARS; at += 1) {
    if (at + MATCH_MIN_CHARS <= said.length && known.includes(low.slice(at, at + MATCH_MIN_CHARS))) {
      if (at > hiddenTo) shown += HIDDEN;
      hiddenTo = at + MATCH_MIN_CHARS;
    }
    if (at >= hiddenTo) shown += said[at];
  }
  return shown.slice(0, SHOWN_MAX_CHARS);
}

/** An answer with nothing in its error's message that must not show. Some nodes give both, and null for what there is not. */
export function redactAnswer(answer: RpcAnswer, url: Secret<string>): RpcAnswer {
  const { error, result } = answer as { error?: RpcError | null; result?: unknown };
  return error ? { error: { ...error, message: redactUrl(url, error.message) } } : { result };
}

/** What a contract says: anybody may have written it. */
export function redactContractText(text: string): string {
  return toPrintable(text.slice(0, SHOWN_MAX_CHARS));
}

const toPrintable = (text: string) => text.replace(/[^ -~]+/g, ' ');

/**
 * Also of what was encoded time and again: `%25…2561` in one go, since a round for each time could be a thousand; and a few
 * rounds for what encodes every character (`%25%36%31`).
 */
function decodePercent(text: string, rounds = 3): string {
  if (rounds === 0) return text;
  const next = text.replace(/%(?:25)*([0-7][0-9a-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return decodePercent(next, rounds - 1);
}
