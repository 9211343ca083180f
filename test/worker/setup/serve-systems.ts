/**
 * The systems outside the Worker, in a process of their own: the main process of the tests loads modules for seconds on a busy machine, and
 * the Worker would take its late answers for an outage. It sends their facts to that process, and ends with it.
 */
import { once } from 'node:events';
import { startSystems } from './localnets.ts';

// The main process may end while the systems start.
const ended = once(process, 'disconnect');
const { stop, ...facts } = await startSystems(Number(process.argv[2]));
if (process.connected) process.send?.(facts);
await ended;
await stop();
process.exit();
