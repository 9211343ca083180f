/** A sequence of at least this many characters that a secret also contains may be part of it, and is hidden. */
const MATCH_MIN_CHARS = 6;
const HIDDEN = '[hidden]';
/** Maximum length of a text that is read, and of the text that is shown. */
const READ_MAX_CHARS = 2_000;
const SHOWN_MAX_CHARS = 200;

/**
 * Returns a text of others in a form that is safe for logs and operators: at most 200 characters of printable ASCII, without any
 * part of the secret. Providers quote keys ("invalid project id …"), as a whole or in part, in another case or percent-encoded.
 */
export function redact(secret: string, text: string): string {
  const known = decodePercent(secret).toLowerCase();
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

/** Returns a contract's text as printable ASCII, because anybody may have written the contract. */
export function redactContractText(text: string): string {
  return toPrintable(text.slice(0, SHOWN_MAX_CHARS));
}

const toPrintable = (text: string) => text.replace(/[^ -~]+/g, ' ');

/**
 * Decodes percent-encoding, even if it is nested. One match decodes any depth of `%25…2561`, because a round per level could
 * mean a thousand rounds. A few rounds decode texts that encode every character (`%25%36%31`).
 */
function decodePercent(text: string, rounds = 3): string {
  if (rounds === 0) return text;
  const next = text.replace(/%(?:25)*([0-7][0-9a-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return decodePercent(next, rounds - 1);
}
