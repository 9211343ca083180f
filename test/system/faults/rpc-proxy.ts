import { setTimeout as sleep } from 'node:timers/promises';
import { CLOSE, type Fault, type FaultProxy, type ProxiedRequest, RESET, startFaultProxy } from '../fault-proxy.ts';
import { answerTo, batchesInPlaceOf, callsIn, forwardToNode, isSend } from '../json-rpc.ts';
import { answerWithFault, type NodesBehind } from './answer-with-fault.ts';
import { refuseBatch } from './batch-refusals.ts';
import { answerWithHabit } from './provider-habits.ts';
import type { FaultSource, RpcFault } from './rpc-fault.ts';

/** A fault proxy in front of a node. */
export interface RpcProxy extends FaultProxy {
  /** The number of requests that got each fault. */
  readonly faultCounts: ReadonlyMap<RpcFault['type'], number>;
  /** The paths of all requests, with queries. */
  readonly requestedPaths: ReadonlySet<string>;
  /** The signed bytes in the sends that the proxy received. */
  readonly sentTransactions: ReadonlySet<string>;
}

export async function startRpcProxy(behind: NodesBehind, faultFor: FaultSource): Promise<RpcProxy> {
  const faultCounts = new Map<RpcFault['type'], number>();
  const requestedPaths = new Set<string>();
  const sentTransactions = new Set<string>();
  const proxy = await startFaultProxy(behind.node, (request, forwarding) => {
    const calls = callsIn(request.body);
    requestedPaths.add(request.path);
    for (const { params } of calls.filter(isSend)) sentTransactions.add(String(params[0]));
    const fault = faultFor(calls);
    if (fault === undefined) return forwardToNode(request, forwarding);
    faultCounts.set(fault.type, (faultCounts.get(fault.type) ?? 0) + 1);
    return outcomeOf(fault, behind)(request, forwarding);
  });
  return { ...proxy, faultCounts, requestedPaths, sentTransactions };
}

function outcomeOf(fault: RpcFault, behind: NodesBehind): Fault {
  return async (request, forwarding) => {
    const calls = callsIn(request.body);
    const sendBatch = batchesInPlaceOf(request, forwarding);
    switch (fault.type) {
      case 'offline':
        return fault;
      case 'reset':
        return RESET;
      case 'hang':
        await sleep(fault.ms, undefined, { signal: forwarding.stopping });
        return CLOSE;
      case 'http':
        return { status: fault.status, headers: { 'content-type': 'text/html' }, body: '<html>busy</html>' };
      case 'malformed':
        return { status: 200, headers: { 'content-type': 'application/json' }, body: '[{"jsonrpc":"2.0","id":0,"resu' };
      case 'echo': {
        const error = { code: -32600, message: quoteUrl(request) };
        if (fault.in === 'page') return { status: 403, body: error.message };
        const refusals = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }));
        const answers =
          fault.in === 'answers'
            ? refusals
            : await answerWithFault({ type: 'send-refused', error }, calls, behind, sendBatch);
        return answerTo(request.body, answers);
      }
      case 'batch-limit':
        if (calls.length <= fault.calls) return forwardToNode(request, forwarding);
        return refuseBatch(fault.form, request.body, calls, sendBatch, fault.calls);
      case 'habit':
        return answerTo(request.body, answerWithHabit(fault.name, calls, await sendBatch(calls)));
      case 'answer-lost':
        await forwardToNode(request, forwarding);
        return RESET;
      default:
        return answerTo(request.body, await answerWithFault(fault, calls, behind, sendBatch));
    }
  };
}

/** Returns an error message with the URL of the request, unchanged and in two other spellings. */
function quoteUrl({ headers, path }: ProxiedRequest): string {
  const url = `http://${headers.host}${path}`;
  return `no project at ${url}, ${url.toUpperCase()} or ${encodeURIComponent(url)}`;
}
