import { waitUntil } from 'cloudflare:workers';
import type { Config } from '../config/config.ts';
import {
  type EmergencyLists,
  type EnabledNetwork,
  emergencyListsOf,
  signerNameOf,
  signersOn,
} from '../config/signers.ts';
import { reply } from '../http/protocol/reply.ts';
import { adminRoute, reads } from '../http/route.ts';
import { FreshValue } from '../lib/fresh-value.ts';
import { SECOND_MS } from '../lib/units.ts';
import { callObject } from '../message/call-object.ts';
import type { Backend } from '../operations/backend.ts';
import { collectMetrics, readWatchers, type WatcherSnapshot } from './metrics/collect-metrics.ts';
import { metricsText } from './metrics/families.ts';
import { OPEN_METRICS_TYPE } from './metrics/open-metrics.ts';
import { STUCK_SECONDS } from './requests.ts';

const listSigners = adminRoute({
  ...reads('listSigners', '/admin/signers'),
  async handle({ config, signerObject }) {
    const lists = emergencyListsOf(config);
    const enabled = config.networks.flatMap((network) => signersOn(config, network));
    const signers = await Promise.all(
      enabled.map(async (each) => {
        const [status, emergency] = await Promise.all([
          statusOf(each, signerObject),
          obeyedBy(each, lists, signerObject),
        ]);
        return { ...status, emergency };
      }),
    );
    const { number: emergencyNumber, ...shown } = lists;
    return reply(200, JSON.stringify({ signers, emergencyNumber, ...shown }));
  },
});

/** Brings a signer the lists, and returns those that it obeys then. Null: it does not answer. */
async function obeyedBy(each: EnabledNetwork, lists: EmergencyLists, signerObject: Backend['signerObject']) {
  const name = signerNameOf(each);
  const obeyed = await callObject(async () => signerObject(name).obey(lists), 'signer', name);
  return obeyed === undefined ? null : { number: obeyed.number, stopped: obeyed.isStopped };
}

/** Returns the entry of a signer. */
export async function statusOf(enabled: EnabledNetwork, signerObject: Backend['signerObject']) {
  const { network, chain, gatekeeper } = enabled;
  const { address, retired, compromised = false } = gatekeeper;
  const name = signerNameOf(enabled);
  const status = await callObject(async () => signerObject(name).status(), 'signer', name);
  return { network: network.network, chain, address, retired, compromised, ...(status ?? UNKNOWN) };
}

const UNKNOWN = { balance: null, why: 'the signer does not answer' };

const listWatchers = adminRoute({
  ...reads('listWatchers', '/admin/watchers'),
  async handle({ config, ...backend }) {
    const watchers = await readWatchers(config, backend);
    return reply(200, JSON.stringify({ watchers: watchers.map(watcherJson) }));
  },
});

function watcherJson({ network, isMissing, status }: WatcherSnapshot) {
  if (status === undefined) return { network, status: isMissing ? 'unreachable' : 'not-begun' };
  const { isOn, ...rest } = status;
  return { network, status: isOn ? 'on' : 'off', ...rest };
}

/** The last text of each configuration. Several scrapers then read the signers once. */
const texts = new WeakMap<Config, FreshValue<string>>();

const getMetrics = adminRoute({
  operationId: 'getMetrics',
  method: 'GET',
  path: '/admin/metrics',
  right: 'metrics',
  async handle({ config, ...backend }) {
    const known = texts.get(config) ?? new FreshValue<string>({ freshMs: 15 * SECOND_MS }, waitUntil);
    texts.set(config, known);
    const text = await known.get(async () => metricsText(await collectMetrics(config, backend, STUCK_SECONDS)));
    return { ...reply(200, text), headers: { 'content-type': OPEN_METRICS_TYPE } };
  },
});

export const signerRoutes = [listSigners, listWatchers, getMetrics];
