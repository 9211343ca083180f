import { type Address, address } from '@solana/kit';
import type { TransactionConfig } from './compiled-message.ts';
import type { Message, MessageInstruction } from './message.ts';
import type { TransactionError } from './runtime.ts';

export const COMPUTE_BUDGET_PROGRAM: Address = address('ComputeBudget111111111111111111111111111111');

/** The resources that a transaction requests, and their cost. */
export interface ComputeBudget {
  /** Compute units for all instructions together. */
  readonly unitLimit: bigint;
  /** Lamports. */
  readonly priorityFee: bigint;
  /** Maximum bytes of all accounts together. */
  readonly loadedBytes: number;
}

const UNIT_LIMIT_MAX = 1_400_000;
const UNITS_PER_INSTRUCTION = 200_000;
const UNITS_PER_BUILTIN = 3_000;
const MICRO_LAMPORTS = 1_000_000n;
const MAX_LOADED_BYTES = 64 * 1024 * 1024;
const HEAP = { min: 32 * 1024, max: 256 * 1024, step: 1024 } as const;

const REQUEST_HEAP_FRAME = 1;
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;
const SET_LOADED_BYTES = 4;

interface Request {
  readonly index: number;
  readonly value: bigint;
}

/**
 * Returns the budget that the instructions of a message request. An unreadable or repeated instruction is refused before anything
 * runs (agave: `ComputeBudgetInstructionDetails`). A message of version 1 names its budget itself, and its instructions count for
 * nothing. A limit that it does not name is 0 (SIMD-0385).
 *
 * @param isBuiltin Whether a program is part of the validator. Those get less by default.
 */
export function readComputeBudget(
  { instructions, config }: Pick<Message, 'instructions' | 'config'>,
  isBuiltin: (program: Address) => boolean,
): ComputeBudget | { readonly error: TransactionError } {
  if (config !== undefined) return budgetIn(config);
  const requests = new Map<number, Request>();
  for (const [index, { program, data }] of instructions.entries()) {
    if (program !== COMPUTE_BUDGET_PROGRAM) continue;
    const request = readRequest(data);
    if (request === undefined) return invalidInstruction(index);
    if (requests.has(request.tag)) return { error: { DuplicateInstruction: index } };
    requests.set(request.tag, { index, value: request.value });
  }
  const heap = requests.get(REQUEST_HEAP_FRAME);
  if (heap !== undefined && !isHeapSize(Number(heap.value))) return invalidInstruction(heap.index);
  const loadedBytes = Number(requests.get(SET_LOADED_BYTES)?.value ?? MAX_LOADED_BYTES);
  if (loadedBytes === 0) return { error: 'InvalidLoadedAccountsDataSizeLimit' };
  const units = requests.get(SET_UNIT_LIMIT)?.value ?? BigInt(defaultUnits(instructions, isBuiltin));
  const unitLimit = units < UNIT_LIMIT_MAX ? units : BigInt(UNIT_LIMIT_MAX);
  const price = requests.get(SET_UNIT_PRICE)?.value ?? 0n;
  return { unitLimit, priorityFee: (price * unitLimit + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS, loadedBytes };
}

function budgetIn(config: TransactionConfig): ComputeBudget | { readonly error: TransactionError } {
  const {
    priorityFee = 0n,
    computeUnitLimit = 0,
    loadedAccountsDataSizeLimit: bytes = 0,
    heapSize = HEAP.min,
  } = config;
  if (!isHeapSize(heapSize)) return { error: 'SanitizeFailure' };
  const unitLimit = BigInt(Math.min(computeUnitLimit, UNIT_LIMIT_MAX));
  return { unitLimit, priorityFee, loadedBytes: Math.min(bytes, MAX_LOADED_BYTES) };
}

/** Bytes after the value are ignored, as the borsh decoder of the validator does. */
function readRequest(data: Uint8Array): { readonly tag: number; readonly value: bigint } | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const tag = data[0];
  if (tag === SET_UNIT_PRICE) return data.length < 9 ? undefined : { tag, value: view.getBigUint64(1, true) };
  if (tag !== REQUEST_HEAP_FRAME && tag !== SET_UNIT_LIMIT && tag !== SET_LOADED_BYTES) return undefined;
  return data.length < 5 ? undefined : { tag, value: BigInt(view.getUint32(1, true)) };
}

function isHeapSize(bytes: number): boolean {
  return bytes >= HEAP.min && bytes <= HEAP.max && bytes % HEAP.step === 0;
}

function defaultUnits(instructions: readonly MessageInstruction[], isBuiltin: (program: Address) => boolean): number {
  const units = instructions.map(({ program }) => (isBuiltin(program) ? UNITS_PER_BUILTIN : UNITS_PER_INSTRUCTION));
  return units.reduce((sum, each) => sum + each, 0);
}

function invalidInstruction(index: number) {
  return { error: { InstructionError: [index, 'InvalidInstructionData'] } } as const;
}
