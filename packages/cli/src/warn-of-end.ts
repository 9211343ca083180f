import type { Listener } from '@gatepass/client';
import type { Output } from './output.ts';

/**
 * Returns a listener that prints, once for each network, that the network of an accepted request ends. A refusal on a network that has
 * ended names the day itself.
 */
export function warnOfEnd(stderr: Output, on?: Listener): Listener {
  const warned = new Set<string>();
  return (notice) => {
    on?.(notice);
    if (notice.type !== 'answer' || (notice.status ?? 0) >= 300) return;
    // The server may be another one, with a text that is no date.
    const endsAt = Date.parse(notice.sunset ?? '');
    const [, network] = /\/pass\/\w+\/([\w-]+)/.exec(notice.url) ?? [];
    if (Number.isNaN(endsAt) || network === undefined || warned.has(network)) return;
    warned.add(network);
    const day = new Date(endsAt).toISOString().slice(0, 10);
    // In a sandbox, the day may have passed although it is to come here.
    stderr.print(`From ${day} on, the service issues no new pass on ${network}: the network ends.`);
  };
}
