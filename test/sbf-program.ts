import { writeFileSync } from 'node:fs';

const FILE_HEADER = 64;
const SECTION_HEADER = 64;
/** The names of the sections, each after a zero byte: `.text` at 1, `.shstrtab` at 7. */
const NAMES = Buffer.from('\0.text\0.shstrtab\0');
const TEXT_NAME = 1;
const NAMES_NAME = 7;

const SHARED_OBJECT = 3;
const MACHINE_BPF = 247;
const CODE = { type: 1, flags: 6 };
const STRINGS = { type: 3, flags: 0 };

const SET_R0 = 0xb7;
const LOAD_WORD = 0x61;
const R0_FROM_R1 = 0x10;
const EXIT = instruction({ code: 0x95 });
/** The offset of the first account's data from R1: after count, flags, key, owner, lamports and length. */
const DATA_AT = 8 + 8 + 32 + 32 + 8 + 8;

/** Returns an sBPF program that returns this number: 0 for success, or the number of a custom error. */
export function programReturning(result: number): Buffer {
  return Buffer.concat([instruction({ code: SET_R0, immediate: result }), EXIT]);
}

/** Returns an sBPF program that returns four bytes of its first account's data, at this offset. */
export function programReturningWordAt(offset: number): Buffer {
  return Buffer.concat([instruction({ code: LOAD_WORD, registers: R0_FROM_R1, offset: DATA_AT + offset }), EXIT]);
}

/** Returns an sBPF program that returns the number of its accounts. */
export function programReturningAccountCount(): Buffer {
  return Buffer.concat([instruction({ code: LOAD_WORD, registers: R0_FROM_R1 }), EXIT]);
}

/** Writes the smallest file that Solana's loader accepts: ELF with one section of code, which starts at the entry point. */
export function writeProgram(code: Buffer, path: string): void {
  const namesAt = FILE_HEADER + code.length;
  const sectionsAt = Math.ceil((namesAt + NAMES.length) / 8) * 8;
  const padding = Buffer.alloc(sectionsAt - namesAt - NAMES.length);
  const sections = [
    Buffer.alloc(SECTION_HEADER),
    // The loader requires that the code has the same offset in memory and in the file.
    section({ ...CODE, name: TEXT_NAME, address: FILE_HEADER, offset: FILE_HEADER, size: code.length }),
    section({ ...STRINGS, name: NAMES_NAME, address: 0, offset: namesAt, size: NAMES.length }),
  ];
  writeFileSync(path, Buffer.concat([fileHeader(sectionsAt, sections.length), code, NAMES, padding, ...sections]));
}

/** Returns a header of ELF-64, little-endian. The entry point is the start of the code. The last section holds the names. */
function fileHeader(sectionsAt: number, sections: number): Buffer {
  const header = Buffer.alloc(FILE_HEADER);
  header.set([0x7f, ...Buffer.from('ELF'), 2, 1, 1]);
  header.writeUInt16LE(SHARED_OBJECT, 16);
  header.writeUInt16LE(MACHINE_BPF, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(BigInt(FILE_HEADER), 24);
  header.writeBigUInt64LE(BigInt(sectionsAt), 40);
  header.writeUInt16LE(FILE_HEADER, 52);
  header.writeUInt16LE(56, 54);
  header.writeUInt16LE(SECTION_HEADER, 58);
  header.writeUInt16LE(sections, 60);
  header.writeUInt16LE(sections - 1, 62);
  return header;
}

interface Section {
  readonly name: number;
  readonly type: number;
  readonly flags: number;
  readonly address: number;
  readonly offset: number;
  readonly size: number;
}

function section({ name, type, flags, address, offset, size }: Section): Buffer {
  const header = Buffer.alloc(SECTION_HEADER);
  header.writeUInt32LE(name, 0);
  header.writeUInt32LE(type, 4);
  for (const [index, value] of [flags, address, offset, size].entries()) {
    header.writeBigUInt64LE(BigInt(value), 8 + 8 * index);
  }
  header.writeBigUInt64LE(8n, 48);
  return header;
}

interface Instruction {
  readonly code: number;
  readonly registers?: number;
  readonly offset?: number;
  readonly immediate?: number;
}

function instruction({ code, registers = 0, offset = 0, immediate = 0 }: Instruction): Buffer {
  const bytes = Buffer.of(code, registers, 0, 0, 0, 0, 0, 0);
  bytes.writeInt16LE(offset, 2);
  bytes.writeInt32LE(immediate, 4);
  return bytes;
}
