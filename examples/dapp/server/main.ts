import { fileURLToPath } from 'node:url';
import { createBackEnd, listen } from './server.ts';
import { SettingsError, settingsOf } from './settings.ts';

try {
  const settings = settingsOf(process.env);
  const files = fileURLToPath(new URL('../dist/', import.meta.url));
  console.log(`The dApp runs at ${await listen(createBackEnd(settings, files), settings.port)}`);
} catch (fault) {
  if (!(fault instanceof SettingsError)) throw fault;
  console.error(fault.message);
  process.exitCode = 2;
}
