import { afterEach, describe, expect, it, vi } from 'vitest';
import { normalize } from '../../../../src/chain/ethereum/node-answers.ts';
import { ReadAnswers } from '../../../../src/chain/json-rpc.ts';

const read = (method: string, result: unknown) => normalize({ method, params: [] }, result);

const ADDRESS = 'f65b6396df6b7e2d8a6270e3ab6c7bb08baef22e';
const HASH = `0x${'ab'.repeat(32)}`;
const TOPIC = `0x${'cd'.repeat(32)}`;
const LOG = { address: `0x${ADDRESS}`, topics: [TOPIC], data: '0x' };
const RECEIPT = { transactionHash: HASH, blockNumber: '0x10', blockHash: HASH, status: '0x1', logs: [LOG] };
const BLOCK = { number: '0x10', hash: HASH, timestamp: '0x65', baseFeePerGas: '0x7' };

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a receipt', () => {
  it.each`
    odd                                                               | what
    ${{}}                                                             | ${'in the usual form'}
    ${{ logs: [{ ...LOG, address: `xdc${ADDRESS}` }] }}               | ${'with an address of XDC Network'}
    ${{ logs: [{ ...LOG, address: `XDC${ADDRESS.toUpperCase()}` }] }} | ${'with such an address in upper case'}
    ${{ logs: [{ ...LOG, topics: [TOPIC.toUpperCase()] }] }}          | ${'with a topic in upper case'}
    ${{ transactionHash: `0x${'AB'.repeat(32)}` }}                    | ${'with a hash in upper case'}
    ${{ blockHash: HASH.toUpperCase() }}                              | ${'with another prefix in upper case'}
    ${{ status: 1 }}                                                  | ${'with a numeric status'}
    ${{ status: true }}                                               | ${'with a status that is true'}
    ${{ status: '0x01' }}                                             | ${'with a longer status'}
    ${{ blockNumber: 16 }}                                            | ${'with a numeric block'}
    ${{ gasUsed: null, effectiveGasPrice: null, l1Fee: null }}        | ${'without a cost'}
  `('$what is read', ({ odd }) => {
    expect(read('eth_getTransactionReceipt', { ...RECEIPT, ...odd })).toEqual(RECEIPT);
  });

  it.each`
    odd                                          | field
    ${{ status: undefined }}                     | ${'status'}
    ${{ status: '0x2' }}                         | ${'status'}
    ${{ blockNumber: 'pending' }}                | ${'blockNumber'}
    ${{ blockHash: undefined }}                  | ${'blockHash'}
    ${{ transactionHash: 'none' }}               | ${'transactionHash'}
    ${{ logs: null }}                            | ${'logs'}
    ${{ logs: [null] }}                          | ${'logs'}
    ${{ logs: [{ ...LOG, topics: undefined }] }} | ${'logs.topics'}
    ${{ logs: [{ ...LOG, address: 'xdc12' }] }}  | ${'logs.address'}
    ${{ gasUsed: -5 }}                           | ${'gasUsed'}
  `('without a certain $field is refused with the name of the field', ({ odd, field }) => {
    expect(() => read('eth_getTransactionReceipt', { ...RECEIPT, ...odd })).toThrow(`the field "${field}" cannot`);
  });

  it.each([null, { blockNumber: null, blockHash: null, status: null }])('of no block is none: %j', (result) => {
    expect(read('eth_getTransactionReceipt', result)).toBeNull();
  });
});

it('reads a block with a numeric time, and without a base fee if the node shows none', () => {
  const { baseFeePerGas: _, ...withoutFee } = BLOCK;
  expect(read('eth_getBlockByNumber', { ...BLOCK, timestamp: 0x65, number: 16 })).toEqual(BLOCK);
  for (const none of [null, undefined])
    expect(read('eth_getBlockByNumber', { ...BLOCK, baseFeePerGas: none })).toEqual(withoutFee);
  expect(read('eth_getBlockByNumber', null)).toBeNull();
  expect(() => read('eth_getBlockByNumber', { number: '0x1' })).toThrow('"hash"');
});

it('reads a log of a query from XDC Network', () => {
  const found = { ...LOG, blockNumber: '0x10', removed: false };
  expect(read('eth_getLogs', [{ ...found, address: `xdc${ADDRESS}` }])).toEqual([found]);
});

it.each(['eth_gasPrice', 'eth_getBalance', 'eth_getTransactionCount', 'eth_blockNumber', 'eth_estimateGas'])(
  'reads the number of %s, and refuses null and text that is no number',
  (method) => {
    expect(read(method, 255)).toBe('0xff');
    expect(read(method, '0xFF')).toBe('0xff');
    for (const none of [null, undefined, '', '0x', '255', 1.5, -1, {}])
      expect(() => read(method, none)).toThrow('the field "result" cannot be read');
  },
);

it('a result that cannot be read becomes an error, and one log line names network, endpoint, method and field', () => {
  const lines = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const answers = new ReadAnswers({ network: 'xdc', errors: [], normalize }, { endpoint: 2, endpoints: 3 });
  const call = { method: 'eth_getTransactionReceipt', params: [HASH] };
  const malformed = { result: { ...RECEIPT, status: '0x2' } };
  const [good, bad] = answers.read([
    [call, { result: RECEIPT }],
    [call, malformed],
    [call, malformed],
  ]);
  expect(good).toEqual({ result: RECEIPT });
  const { method } = call;
  expect(bad).toEqual({ error: { code: -1, message: 'the field "status" cannot be read', method } });
  expect(lines.mock.calls.map(([line]) => JSON.parse(String(line)))).toEqual([
    {
      event: 'endpoint.unreadable',
      error: 'MalformedResult: the field "status" cannot be read',
      network: 'xdc',
      endpoint: 2,
      endpoints: 3,
      method: 'eth_getTransactionReceipt',
      field: 'status',
    },
  ]);
});
