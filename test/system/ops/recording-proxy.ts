import { type Fault, type FaultProxy, startFaultProxy } from '../fault-proxy.ts';
import { callsIn, forwardToNode, type RpcCall } from '../json-rpc.ts';

/** A fault proxy in front of a node that records the calls of each request. */
export interface RecordingProxy extends FaultProxy {
  readonly requests: readonly (readonly RpcCall[])[];
}

export async function startRecordingProxy(node: string, fault: Fault = forwardToNode): Promise<RecordingProxy> {
  const requests: RpcCall[][] = [];
  const proxy = await startFaultProxy(node, (request, forwarding) => {
    requests.push(callsIn(request.body));
    return fault(request, forwarding);
  });
  return { ...proxy, requests };
}
