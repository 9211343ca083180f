import { afterAll, beforeAll, expect } from 'vitest';
import type { FaultKind } from '../../../localnet/kms/faults.ts';
import { KMS_REFERENCES } from '../../../localnet/kms/gatekeepers.ts';
import { freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import { LONG } from '../../form.ts';
import { tableRows } from '../../unit/documents/markdown.ts';
import { pollUntil } from '../poll-until.ts';
import { Rehearsal } from './rehearsal.ts';
import { rehearse } from './rehearse.ts';

const NETWORK = 'sepolia';
/** A fault of the KMS for each code of the section. */
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

rehearse(
  'The KMS does not sign',
  'the doctor shows each cause, and the steps continue by themselves when the cause is gone',
  async (section) => {
    const codes = tableRows(section.text).flatMap(([code = '']) => /^`(kms-.*)`$/.exec(code)?.[1] ?? []);
    expect(codes).toEqual(Object.keys(FAULTS));
    const [doctor, key] = [section.next('npm run doctor'), section.next('npm run key')];
    const kms = service.localnet.kms;
    if (kms === undefined) throw new Error('the localnet has no KMS');
    service.writeSecrets('kms.secrets', { KMS_CREDENTIALS: JSON.stringify(kms.credentials) });
    for (const code of LONG ? codes : ['kms-throttled', 'kms-denied']) {
      kms.setFaults([{ kind: FAULTS[code] as FaultKind }]);
      const wallet = freshWallet(NETWORK);
      await service.partner('acme').issue(NETWORK, wallet);
      type Signers = { signers: { network: string; paused: { code: string } | null }[] };
      const pauseOf = async () =>
        (await service.admin<Signers>('/admin/signers')).signers.find(({ network }) => network === NETWORK)?.paused;
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
