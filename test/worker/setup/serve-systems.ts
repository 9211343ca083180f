/**
 * The systems outside the Worker, in a process of their own: the main process of the tests loads modules for seconds on a busy machine, and
 * the Worker would take its late answers for an outage. It sends their facts to that process, and ends with it.
 */
import { startSystems } from './localnets.ts';

const { stop, ...facts } = await startSystems(Number(process.argv[2]));
process.once('disconnect', () => void stop().finally(() => process.exit()));
process.send?.(facts);
