import { afterAll, beforeAll, expect } from 'vitest';
import type { FaultKind } from '../../../tools/localnet/kms/faults.ts';
import { KMS_REFERENCES } from '../../../tools/localnet/kms/gatekeepers.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LONG } from '../../form.ts';
import { tableRows } from '../../unit/documents/markdown.ts';
import { pollUntil } from '../poll-until.ts';
import { Rehearsal } from './rehearsal.ts';
import { rehearse } from './rehearse.ts';

const NETWORK = 'sepolia';
/** A fault of the KMS for each code of the page. */
const FAULTS: Readonly<Record<string, FaultKind>> = {
  'kms-unanswered': 'unavailable',
  'kms-throttled': 'throttle',
  'kms-denied': 'deny',
  'kms-wrong-answer': 'other-key',
};

let service: Rehearsal;
beforeAll(async () => {
  service = await Rehearsal.open({ kms: true });
});
afterAll(() => service?.close());

function kmsOf({ localnet: { kms } }: Rehearsal) {
  if (kms === undefined) throw new Error('the localnet has no KMS');
  return kms;
}

type Signers = { signers: { network: string; paused: { code: string } | null }[] };
async function pauseOf() {
  const { signers } = await service.admin<Signers>('/admin/signers');
  return signers.find(({ network }) => network === NETWORK)?.paused;
}

rehearse(
  'The KMS does not sign',
  'the doctor shows each cause, and the steps continue by themselves when the cause is gone',
  async (page) => {
    const codes = tableRows(page.text).flatMap(([code = '']) => /^`(kms-.*)`$/.exec(code)?.[1] ?? []);
    expect(codes).toEqual(Object.keys(FAULTS));
    const [doctor, key] = [page.next('npm run doctor'), page.next('npm run key')];
    const kms = kmsOf(service);
    service.writeSecrets('kms.secrets', { KMS_CREDENTIALS: JSON.stringify(kms.credentials) });
    for (const code of LONG ? codes : ['kms-throttled', 'kms-denied']) {
      kms.setFaults([{ kind: FAULTS[code] as FaultKind }]);
      const wallet = freshWallet(NETWORK);
      await service.partner('acme').issue(NETWORK, wallet);
      await pollUntil(pauseOf, (paused) => paused?.code === code);
      expect((await service.run(doctor)).printed, code).toMatch(/FAIL .*key/i);
      kms.setFaults([]);
      expect(await service.partner('acme').untilSettled(NETWORK, wallet), code).toMatchObject({ state: 'ACTIVE' });
    }
    const reference = KMS_REFERENCES.ethereum.aws;
    const shown = await service.run(key, { REFERENCE: reference });
    expect(shown.printed.trim(), shown.printed).toBe(reference);
  },
);

rehearse(
  'The credential of the KMS has leaked',
  'the KMS refuses the old credential, and the waiting steps continue with the new one',
  async (page) => {
    const kms = kmsOf(service);
    service.writeSecrets('stolen.secrets', { KMS_CREDENTIALS: JSON.stringify(kms.credentials) });
    const probe = () =>
      service.run('npm run key -- REFERENCE --secrets stolen.secrets', { REFERENCE: KMS_REFERENCES.ethereum.aws });
    expect(await probe()).toMatchObject({ code: 0 });
    const fresh = await kms.replaceCredentials();
    expect(await probe()).toMatchObject({ code: 1 });
    const wallet = freshWallet(NETWORK);
    await service.partner('acme').issue(NETWORK, wallet);
    await pollUntil(pauseOf, (paused) => paused?.code === 'kms-denied');

    service.writeSecrets('kms.secrets', { KMS_CREDENTIALS: JSON.stringify(fresh) });
    expect((await service.run(page.next('npm run doctor'))).printed).not.toMatch(/FAIL .*key/i);
    await service.run(page.next('npm run wrangler -- secret bulk'));
    expect(await service.run(page.next('rm kms.secrets'))).toMatchObject({ code: 0 });
    expect(await service.partner('acme').untilSettled(NETWORK, wallet)).toMatchObject({ state: 'ACTIVE' });
  },
);
