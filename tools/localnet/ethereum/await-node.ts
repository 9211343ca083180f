import { setTimeout as sleep } from 'node:timers/promises';
import { numberToHex } from 'viem';
import type { Child } from '../../../terminal/child-process.ts';
import { Failure } from '../../../terminal/failure.ts';
import type { Node } from '../state/node.ts';

/** It only ends a start that hangs. */
const START_TIMEOUT_MS = 60_000;

interface Starting {
  /** Name of the program. */
  readonly program: string;
  readonly network: string;
  readonly chainId: number;
  readonly port: number;
}

/** Returns the node of a process once it answers. Throws Failure with the last line of the process if it ends before. */
export async function awaitNode({ program, network, chainId, port }: Starting, child: Child): Promise<Node> {
  const rpcUrl = `http://127.0.0.1:${port}`;
  let over = false;
  child.ended.then(() => {
    over = true;
  });
  for (const deadline = Date.now() + START_TIMEOUT_MS; !over && Date.now() < deadline; await sleep(30)) {
    const answer = await callNode(rpcUrl, 'eth_chainId').catch(() => undefined);
    if (answer === numberToHex(chainId))
      return { network, rpcUrl, pid: child.pid, ended: child.ended, stop: child.stop };
  }
  const said = child.lastLines.findLast((line) => line.trim() !== '') ?? 'it said nothing';
  throw new Failure(
    `${network}: ${program} did not start (${said}): is its port taken, or its file in --state damaged?`,
  );
}

export async function callNode(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await response.json()) as { result?: unknown }).result;
}
