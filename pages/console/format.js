import { NETWORKS } from './networks.js';
import { html } from './preact.js';

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** @param seconds Unix seconds. */
export const timeOf = (seconds) => {
  const date = new Date(seconds * 1_000);
  return html`<time datetime=${date.toISOString()}>${TIME.format(date)}</time>`;
};

/** @param text A time in ISO 8601. */
export const isoTime = (text) => timeOf(Date.parse(text) / 1_000);

export const number = (value) => value.toLocaleString();

/** Returns an amount of wei or lamports in whole coins. */
export function coins(amount, chain) {
  const [decimals, name] = chain === 'solana' ? [9, 'SOL'] : [18, 'coins'];
  const digits = amount.padStart(decimals + 1, '0');
  const whole = digits.slice(0, -decimals);
  const fraction = digits.slice(-decimals).slice(0, 6).replace(/0+$/, '');
  return `${number(BigInt(whole))}${fraction ? `.${fraction}` : ''} ${name}`;
}

export function duration(seconds) {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3_600)} h`;
}

/** Returns the network of that name, with its chain and its explorer. */
export const networkOf = (name) => NETWORKS.find(({ network }) => network === name);

/** Links a transaction to the explorer of its network. The style shortens it, and screen readers get all of it. */
export function transactionLink(network, identifier) {
  const explorer = networkOf(network)?.explorer.replace('{transaction}', encodeURIComponent(identifier));
  return html`<a href=${explorer} target="_blank" rel="noopener noreferrer"><code class="short">${identifier}</code></a>`;
}

/** Shows that others made a change, and the gatekeeper that did, if it is known. */
export const originOf = ({ gatekeeper }) =>
  gatekeeper === undefined ? 'by others' : html`by others: gatekeeper <code class="short">${gatekeeper}</code>`;

/** The address of the view of a pass. */
export const passView = ({ chain, walletAddress }) =>
  `#/pass/${[chain.type, chain.network, walletAddress].map(encodeURIComponent).join('/')}`;

/** Shows a state as text with a color. */
export const badge = (state) => html`<span class=${`badge ${state.toLowerCase()}`}>${state}</span>`;

/** Shows the state of a pass without a color: only the verdict says whether dApps accept the wallet. */
export const stateBadge = (state) => html`<span class="badge">${state}</span>`;

const REASON_LABELS = {
  not_on_chain: 'NOT ON CHAIN',
  rejected: 'REJECTED',
  revoked: 'REVOKED',
  frozen: 'FROZEN',
  expired: 'EXPIRED',
};

/** Shows whether dApps accept the wallet, or each reason why they refuse it. */
export const verdictBadges = (verdict) =>
  verdict.isAccepted
    ? badge('ACCEPTED')
    : verdict.reasons.map((reason) => html`<span class=${`badge ${reason}`}>${REASON_LABELS[reason]}</span> `);

/** Returns `TOKEN_ISSUED_INITIATED` as "Token issued initiated". */
export function eventName(type) {
  const words = type.toLowerCase().replaceAll(/[_.]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
