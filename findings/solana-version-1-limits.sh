#!/bin/sh
# Guess: a transfer that kit 8.4.0 builds and signs without limits runs alike as version 0 and as version 1. Version 0 has defaults of
# 200,000 compute units for each instruction and 64 MiB of loaded accounts.
# Seen with @solana/kit 8.4.0 and litesvm 1.4.1: version 0 transfers; version 1 is refused, because a limit that it does not name is 0. The error
# speaks of the size of accounts; with that size alone it speaks of compute units. With both limits it transfers. Nothing in kit warns.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @solana/kit@8.4.0 litesvm@1.4.1
cat >run.mjs <<'JS'
import * as kit from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';

const payer = await kit.generateKeyPairSigner();
const { address: receiver } = await kit.generateKeyPairSigner();
const data = new Uint8Array(12);
new DataView(data.buffer).setUint32(0, 2, true);
new DataView(data.buffer).setBigUint64(4, 1_000_000n, true);
const transfer = {
  programAddress: kit.address('11111111111111111111111111111111'),
  accounts: [
    { address: payer.address, role: kit.AccountRole.WRITABLE_SIGNER },
    { address: receiver, role: kit.AccountRole.WRITABLE },
  ],
  data,
};

async function run(version, limits) {
  const machine = new LiteSVM();
  machine.airdrop(payer.address, kit.lamports(10_000_000_000n));
  const lifetime = { blockhash: machine.latestBlockhash(), lastValidBlockHeight: 1_000n };
  const message = kit.pipe(
    kit.createTransactionMessage({ version }),
    (it) => kit.setTransactionMessageFeePayerSigner(payer, it),
    (it) => kit.setTransactionMessageLifetimeUsingBlockhash(lifetime, it),
    (it) => kit.appendTransactionMessageInstruction(transfer, it),
    (it) => (limits === undefined ? it : kit.setTransactionMessageConfig(limits, it)),
  );
  const result = machine.sendTransaction(await kit.signTransactionMessageWithSigners(message));
  if (!(result instanceof FailedTransactionMetadata)) return `received ${machine.getBalance(receiver)}`;
  return /err: (.*?), meta/.exec(String(result))?.[1];
}

console.log(`version 0: ${await run(0)}`);
console.log(`version 1: ${await run(1)}`);
console.log(`version 1, size: ${await run(1, { loadedAccountsDataSizeLimit: 1_000 })}`);
console.log(`version 1, size and units: ${await run(1, { loadedAccountsDataSizeLimit: 1_000, computeUnitLimit: 1_000 })}`);
JS
node run.mjs | tee seen
cat >expected <<'END'
version 0: received 1000000
version 1: MaxLoadedAccountsDataSizeExceeded
version 1, size: InstructionError(0, ComputationalBudgetExceeded)
version 1, size and units: received 1000000
END
diff expected seen
