#!/bin/sh
# Guess: the signed transaction that creates the deterministic deployer 0x4e59b44847b379578588920cA78FbF26c0B4956C on every chain also works with
# Glamsterdam: it is one transaction without a chain id, its sender only needs 0.01 coins, and 100,000 gas left a third to spare.
# Seen with hardhat 3.18.0: with the hardfork osaka it takes 68,137 gas, with amsterdam it is refused, because new state costs more gas
# (EIP-8037). The signature covers the gas, so nobody can raise it: a chain that begins with these rules never gets the deployer this way.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
# npm leaves out an optional package that names a newer Node, and hardhat's engine is one. As a direct dependency it is installed.
engine=$(node -p '`@nomicfoundation/edr-${process.platform}-${process.arch}${process.platform === "linux" ? "-gnu" : ""}`')
npm install --silent --no-audit --no-fund hardhat@3.18.0 "$engine@0.22.0"
cat >run.mjs <<'JS'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre';

const SENDER = '0x3fAB184622Dc19b6109349B94811493BF2a45362';
const DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
const SIGNED =
  '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0' +
  '3601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba022222222222222222222222222222222222222222222222222222222' +
  '22222222a02222222222222222222222222222222222222222222222222222222222222222';

for (const hardfork of ['osaka', 'amsterdam']) {
  const networks = { node: { type: 'edr-simulated', chainId: 1234, hardfork } };
  const { network } = await createHardhatRuntimeEnvironment({ networks }, {});
  const { provider } = await network.create('node');
  const ask = (method, ...params) => provider.request({ method, params });
  await ask('hardhat_setCode', DEPLOYER, '0x');
  await ask('hardhat_setBalance', SENDER, '0x2386f26fc10000');
  const sent = await ask('eth_sendRawTransaction', SIGNED).then(
    async (hash) => `takes ${Number((await ask('eth_getTransactionReceipt', hash)).gasUsed)} gas`,
    ({ message }) => message,
  );
  const code = await ask('eth_getCode', DEPLOYER, 'latest');
  console.log(`${hardfork}: ${sent}, ${(code.length - 2) / 2} bytes of code`);
}
JS
node run.mjs 2>/dev/null | tee seen
cat >expected <<'END'
osaka: takes 68137 gas, 69 bytes of code
amsterdam: Transaction requires at least 214898 gas but got 100000, 0 bytes of code
END
diff expected seen
