#!/bin/sh
# Guess: a development node keeps the state of a block as a difference to the one before, so empty blocks cost almost no memory, and
# `--prune-history 200`, which keeps 200 states, bounds the memory of a long test.
# Seen with anvil 1.7.1: it keeps each state as a whole copy. 200 empty blocks take over ten times the memory if a contract has 20,000 slots
# instead of 500, some hundred megabytes, and each block copies all slots.
# It matters because a load test with short blocks measures the node and not the sender: after some thousand mints of a contract that writes ten
# slots each, anvil with a block every 250 ms had 8 GB and was ten times slower. Begin each round with a new node, or keep fewer states.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
platform=$(node -p 'process.platform')-$(node -p '({ x64: "amd64" })[process.arch] ?? process.arch')
npm install --silent --no-audit --no-fund "@foundry-rs/anvil-$platform@1.7.1"
cat >run.mjs <<'JS'
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

// Stores each number from its first word up to its second one in the slot of that number.
const WRITER = '0x6013600c60003960136000f36000355b808055600101806020351160035700';
const SLOTS_OF_A_CALL = 500;
const BLOCKS = 200;

/** Returns the megabytes that the node takes more after 200 empty blocks, with that many slots in a contract. */
async function growthWith(slots) {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  const node = spawn(process.argv[2], ['--port', String(port), '--prune-history', '200'], { stdio: 'ignore' });
  try {
    const ask = async (method, ...params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = { 'content-type': 'application/json' };
      const { result, error } = await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).json();
      if (error) throw new Error(error.message);
      return result;
    };
    while (!(await ask('eth_chainId').then(() => true, () => false))) await sleep(100);
    const [from] = await ask('eth_accounts');
    const send = async (transaction) => {
      const hash = await ask('eth_sendTransaction', { from, gas: '0xe00000', ...transaction });
      let receipt;
      while (!receipt) receipt = await ask('eth_getTransactionReceipt', hash);
      const { status, contractAddress } = receipt;
      if (status !== '0x1') throw new Error('the transaction failed');
      return contractAddress;
    };
    const to = await send({ data: WRITER });
    const word = (number) => number.toString(16).padStart(64, '0');
    for (let first = 1; first < slots; first += SLOTS_OF_A_CALL)
      await send({ to, data: `0x${word(first)}${word(first + SLOTS_OF_A_CALL)}` });
    const last = await ask('eth_getStorageAt', to, `0x${word(slots)}`, 'latest');
    if (Number(last) !== slots) throw new Error(`the slot ${slots} is not written`);
    const megabytes = () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(node.pid)], { encoding: 'utf8' })) / 1024;
    const before = megabytes();
    await ask('anvil_mine', `0x${BLOCKS.toString(16)}`);
    return megabytes() - before;
  } finally {
    node.kill();
  }
}

const few = await growthWith(500);
const many = await growthWith(20_000);
console.error(`500 slots: ${few.toFixed(0)} MB more, 20,000 slots: ${many.toFixed(0)} MB more`);
console.log(`200 empty blocks with 20,000 slots take over 100 MB: ${many > 100}, over ten times the memory of 500 slots: ${many > 10 * few}`);
JS
anvil=$(find node_modules/@foundry-rs -type f -name 'anvil*' -perm -u+x | head -n 1)
node run.mjs "$anvil" | tee output.txt
echo '200 empty blocks with 20,000 slots take over 100 MB: true, over ten times the memory of 500 slots: true' >expected.txt
diff expected.txt output.txt
