/** What wrangler says that a developer need not read: its table of bindings, its own line per request. */
const CHATTER =
  /^$|^\[wrangler:info\]|^⎔|^Your Worker has access|^Binding\s|^env\.|^Using (vars|secrets) defined|^\[custom build\] Running/;

/** How a line of `wrangler dev` is shown in the terminal; undefined for what is not worth it. */
export function formatWorkerLine(line: string): string | undefined {
  if (CHATTER.test(line)) return undefined;
  // The Worker's own faults come marked as wrangler's errors.
  const fields = parseObject(line.replace(/^\S* ?\[ERROR\] /, ''));
  if (fields === undefined) return line;
  if (fields.route === '/health') return undefined;
  // The Worker logs one JSON object a line, for machines; here it is read by eye.
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

function parseObject(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
