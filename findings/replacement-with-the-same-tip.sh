#!/bin/sh
# Guess: local nodes replace a waiting transaction as Geth's pool does, only if `maxFeePerGas` and `maxPriorityFeePerGas` are both a tenth higher.
# Seen with anvil 1.7.1 and hardhat 3.18.0: hardhat refuses a replacement whose fee has doubled and whose tip is the same; anvil accepts it, and
# drops the first transaction.
# It matters because a wallet that raises only the fee, for example with the current base fee, passes every test on anvil. On Geth its replacement
# is refused for as long as the tip of the network stays the same, and everything behind that nonce waits.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm pkg set type=module >/dev/null
platform=$(node -p 'process.platform')-$(node -p '({ x64: "amd64" })[process.arch] ?? process.arch')
# npm leaves out an optional package that names a newer Node, and hardhat's engine is one. As a direct dependency it is installed.
engine=@nomicfoundation/edr-$(node -p 'process.platform')-$(node -p 'process.arch')$(node -p 'process.platform === "linux" ? "-gnu" : ""')
npm install --silent --no-audit --no-fund "@foundry-rs/anvil-$platform@1.7.1" hardhat@3.18.0 "$engine@0.22.0" viem@2.57.1
cat >run.js <<'JS'
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHardhatRuntimeEnvironment } from 'hardhat/hre';
import { parseGwei } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';

// The first account of both nodes.
const account = mnemonicToAccount('test test test test test test test test test test test junk');

/** Sends three transactions with one nonce, each in place of the one before. */
async function replaceOn(name, ask) {
  const send = async (fee, tip) => {
    const price = { maxFeePerGas: parseGwei(fee), maxPriorityFeePerGas: parseGwei(tip) };
    const transfer = { type: 'eip1559', chainId: 31_337, nonce: 0, to: account.address, gas: 21_000n, ...price };
    const signed = await account.signTransaction(transfer);
    return ask('eth_sendRawTransaction', signed).then(
      () => 'accepted',
      ({ message }) => `refused (${/underpriced/i.test(message) ? 'underpriced' : message})`,
    );
  };
  const [first, fee, both] = [await send('10', '1'), await send('20', '1'), await send('40', '2')];
  console.log(`${name}: first ${first}, fee doubled and tip the same ${fee}, both doubled ${both}`);
}

const server = createServer().listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const { port } = server.address();
await new Promise((resolve) => server.close(resolve));
const anvil = spawn(process.argv[2], ['--port', String(port), '--no-mining'], { stdio: 'ignore' });
try {
  const ask = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const { result, error } = await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).json();
    if (error) throw new Error(error.message);
    return result;
  };
  while (!(await ask('eth_chainId').then(() => true, () => false))) await sleep(100);
  await replaceOn('anvil', ask);
} finally {
  anvil.kill();
}

const networks = { node: { type: 'edr-simulated', chainId: 31_337, mining: { auto: false } } };
const { network } = await createHardhatRuntimeEnvironment({ networks }, {});
const { provider } = await network.create('node');
await replaceOn('hardhat', (method, ...params) => provider.request({ method, params }));
process.exit(0);
JS
anvil=$(find node_modules/@foundry-rs -type f -name 'anvil*' -perm -u+x | head -n 1)
node run.js "$anvil" | tee output.txt
cat >expected.txt <<'TXT'
anvil: first accepted, fee doubled and tip the same accepted, both doubled accepted
hardhat: first accepted, fee doubled and tip the same refused (underpriced), both doubled accepted
TXT
diff expected.txt output.txt
